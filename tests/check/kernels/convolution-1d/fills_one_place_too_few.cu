// expect: uninitialised-shared: changing 'i < blockDim.x + taps - 2' in line 11
// The taps of the filter: at most 4096 for the kernels below.
__constant__ float constant_taps[4096];

// Tiling: neighbours need mostly the same inputs, so the block loads each once, into shared memory: one per thread, and
// taps - 1 more, the halo. That is about one load per output, not one per tap. Expects blockDim.x + taps - 1 floats.
__global__ void convolution_1d_tiled(const float* input, float* output, int size, int taps, int output_size,
                                     int offset) {
  extern __shared__ float tile[];
  const int first = blockIdx.x * blockDim.x + offset - (taps - 1);  // the leftmost input that the block needs
  for (int i = threadIdx.x; i < blockDim.x + taps - 2; i += blockDim.x)
    tile[i] = first + i >= 0 && first + i < size ? input[first + i] : 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= output_size) return;
  float sum = 0;
  for (int j = 0; j < taps; ++j) sum += constant_taps[j] * tile[threadIdx.x + taps - 1 - j];
  output[item] = sum;
}
