// expect: out-of-bounds-read: the offset taps - 1 is missing there
__constant__ float constant_taps[4096];

__global__ void convolution_1d_tiled(const float* input, float* output, int size, int taps, int output_size,
                                     int offset) {
  extern __shared__ float tile[];
  const int first = blockIdx.x * blockDim.x + offset - (taps - 1);
  for (int t = threadIdx.x; t < blockDim.x + taps - 1; t += blockDim.x) {
    int source = first + t;
    tile[t] = source >= 0 && source < size ? input[source] : 0;
  }
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= output_size) return;
  float sum = 0;
  for (int j = 0; j < taps; ++j) sum += constant_taps[j] * tile[threadIdx.x - j];  // here
  output[item] = sum;
}
