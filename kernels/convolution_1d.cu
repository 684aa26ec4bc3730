// output[i] = the sum over j of filter[j] * input[i + offset - j], for i in [0, output_size); input is zero
// outside. As numpy.convolve: 'full' has offset 0, 'same' starts (taps - 1) / 2 later, 'valid' taps - 1
// later.

// One thread per output: it reads the filter and its surroundings from global memory.
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

// The most taps that the kernels below can use.
__constant__ float constant_taps[4096];

// All threads need the same tap at the same time. That is what constant memory is for: one read serves a
// whole warp, from a cache of its own.
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

// Neighbours share most of their inputs: the block copies them to shared memory once, with as many again to
// the left as the filter reaches, the halo. Expects blockDim.x + taps - 1 floats of shared memory.
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

// Thirteen neighbouring outputs per thread. The 13 inputs that one tap meets lie in registers, and from tap to tap they
// move on by one: a word from shared memory and a tap serve for 13 multiplications, where the tiled kernel reads both
// for each. 13 is odd, so that the lanes of a warp, 13 words apart, read from 32 different banks. A thread has all its
// loads from memory on their way before it waits for the first, and the outputs go back through the tile, so that
// neighbours store neighbours. Expects 13 * blockDim.x + taps - 1 floats of shared memory.
__global__ void convolution_1d_window(const float* input, float* output, int size, int taps, int output_size,
                                      int offset) {
  extern __shared__ float tile[];
  const int block = blockDim.x, thread = threadIdx.x;
  const int first_output = blockIdx.x * 13 * block;
  const int first = first_output + offset - (taps - 1);  // the leftmost input that the block needs
  float own[13];
  for (int k = 0; k < 13; ++k) {
    const int source = first + k * block + thread;
    own[k] = source >= 0 && source < size ? input[source] : 0;
  }
  for (int i = 13 * block + thread; i < 13 * block + taps - 1; i += block)
    tile[i] = first + i >= 0 && first + i < size ? input[first + i] : 0;
  for (int k = 0; k < 13; ++k) tile[k * block + thread] = own[k];
  __syncthreads();

  float window[13], sums[13] = {};
  for (int k = 1; k < 13; ++k) window[k] = tile[13 * thread + k - 1];
#pragma unroll 13
  for (int i = 0; i < taps; ++i) {
    for (int k = 0; k < 12; ++k) window[k] = window[k + 1];
    window[12] = tile[13 * thread + i + 12];
    for (int k = 0; k < 13; ++k) sums[k] += constant_taps[taps - 1 - i] * window[k];
  }
  __syncthreads();

  for (int k = 0; k < 13; ++k) tile[13 * thread + k] = sums[k];
  __syncthreads();
  for (int k = 0; k < 13; ++k) {
    const int i = k * block + thread;
    if (first_output + i < output_size) output[first_output + i] = tile[i];
  }
}

// The same without the halo: what lies beyond the tile is counted as zero, so that outputs near the edge of a
// block lack some of their inputs. Expects blockDim.x floats of shared memory.
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
    const int place = i + taps / 2 - j;
    if (place >= 0 && place < blockDim.x) sum += constant_taps[j] * tile[place];
  }
  output[item] = sum;
}
