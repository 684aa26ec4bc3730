// expect: out-of-bounds-read: the last of them has the index taps - 1
__constant__ float constant_taps[4096];

__global__ void convolution_1d_tiled(const float* input, float* output, int size, int taps, int output_size,
                                     int offset) {
  extern __shared__ float tile[];
  const int first = blockIdx.x * blockDim.x + offset - (taps - 1);
  for (int i = threadIdx.x; i < blockDim.x + taps - 1; i += blockDim.x) {
    int source = first + i;
    tile[i] = source >= 0 && source < size ? input[source] : 0;
  }
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= output_size) return;
  float sum = 0;
  for (int j = 0; j < taps; j++)
    sum += constant_taps[j] * tile[threadIdx.x + taps / 2 - j];
  output[item] = sum;
}
