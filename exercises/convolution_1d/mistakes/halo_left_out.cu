// expect: tile-edges
// sizes: more outputs than a block has threads, 256

__constant__ float constant_taps[4096];

// Every thread copies one input, and uses those of its neighbours.
__global__ void convolution_1d_tiled(const float* input, float* output, int size, int taps, int output_size,
                                     int offset) {
  extern __shared__ float tile[];
  const int source = blockIdx.x * blockDim.x + threadIdx.x + offset;
  tile[threadIdx.x] = source < size ? input[source] : 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= output_size) return;
  float sum = 0;
  for (int j = 0; j < taps && j <= threadIdx.x; ++j) sum += constant_taps[j] * tile[threadIdx.x - j];
  output[item] = sum;
}
