// output[i] = the sum over j of filter[j] * input[i + offset - j], for i in [0, output_size); input is zero outside
//
// As numpy.convolve: offset is 0 for 'full', (taps - 1) / 2 for 'same' and taps - 1 for 'valid'.

// One thread per output. It loads filter and inputs from global memory: two loads for each multiplication.
__global__ void convolution_1d_naive(const float* input, const float* filter, float* output, int size,
                                     int taps, int output_size, int offset) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= output_size) return;
  float sum = 0;
  for (int j = 0; j < taps; ++j) {
    const int source = item + offset - j;
    if (source >= 0 && source < size) sum += filter[j] * input[source];
  }
  output[item] = sum;
}

// The taps of the filter: at most 4096 for the kernels below.
__constant__ float constant_taps[4096];

// Constant memory: all threads need the same tap at the same time, and a broadcast serves a whole warp with one read
// from the constant cache. That leaves one load from global memory for each multiplication.
__global__ void convolution_1d_constant(const float* input, float* output, int size, int taps,
                                        int output_size, int offset) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= output_size) return;
  float sum = 0;
  for (int j = 0; j < taps; ++j) {
    const int source = item + offset - j;
    if (source >= 0 && source < size) sum += constant_taps[j] * input[source];
  }
  output[item] = sum;
}

// Tiling: neighbours need mostly the same inputs, so the block loads each once, into shared memory: one per thread, and
// taps - 1 more, the halo. That is about one load per output, not one per tap. Expects blockDim.x + taps - 1 floats.
__global__ void convolution_1d_tiled(const float* input, float* output, int size, int taps, int output_size,
                                     int offset) {
  extern __shared__ float tile[];
  const int first = blockIdx.x * blockDim.x + offset - (taps - 1);  // the leftmost input that the block needs
  for (int i = threadIdx.x; i < blockDim.x + taps - 1; i += blockDim.x)
    tile[i] = first + i >= 0 && first + i < size ? input[first + i] : 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= output_size) return;
  float sum = 0;
  for (int j = 0; j < taps; ++j) sum += constant_taps[j] * tile[threadIdx.x + taps - 1 - j];
  output[item] = sum;
}

// The same without the halo. Inputs beyond the tile count as zero, so outputs near the edge of a block lack some of
// their inputs. Expects blockDim.x floats of shared memory.
__global__ void convolution_1d_missing_halo(const float* input, float* output, int size, int taps,
                                            int output_size, int offset) {
  extern __shared__ float tile[];
  const int first = blockIdx.x * blockDim.x + offset - taps / 2;
  const int i = threadIdx.x;
  tile[i] = first + i >= 0 && first + i < size ? input[first + i] : 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= output_size) return;
  float sum = 0;
  for (int j = 0; j < taps; ++j) {
    const int source = i + taps / 2 - j;
    if (source >= 0 && source < blockDim.x) sum += constant_taps[j] * tile[source];
  }
  output[item] = sum;
}
