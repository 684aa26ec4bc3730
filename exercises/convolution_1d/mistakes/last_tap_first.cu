// expect: pass
// because: The sum goes through the taps from the last one: tile and taps still run against each other.
__constant__ float constant_taps[4096];

__global__ void convolution_1d_tiled(const float* input, float* output, int size, int taps, int output_size,
                                     int offset) {
  extern __shared__ float tile[];
  const int first = blockIdx.x * blockDim.x + offset - (taps - 1);
  for (int i = threadIdx.x; i < blockDim.x + taps - 1; i += blockDim.x)
    tile[i] = first + i < 0 || first + i >= size ? 0 : input[first + i];
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < taps; ++i) sum += tile[threadIdx.x + i] * constant_taps[taps - 1 - i];
  if (item < output_size) output[item] = sum;
}
