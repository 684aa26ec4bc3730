// output[i] = the sum over j of filter[j] * input[i + offset - j], for i in [0, output_size); input is zero outside
//
// As numpy.convolve: offset is 0 for 'full', (taps - 1) / 2 for 'same' and taps - 1 for 'valid'.

__constant__ float constant_taps[4096];

// A thread computes thirteen neighbouring outputs. It keeps in registers the 13 inputs that one tap meets: the next tap
// meets twelve of them again. So one word from shared memory and one tap serve 13 multiplications, where the tiled
// kernel reads both for each. 13 is odd, so the lanes of a warp, 13 words apart, read from 32 different banks. A thread
// begins all its loads from memory before it waits for the first. The outputs go back through the tile, so that
// neighbours store neighbours. Expects 13 * blockDim.x + taps - 1 floats of shared memory.
__global__ void convolution_1d_window(const float* input, float* output, int size, int taps, int output_size,
                                      int offset) {
  constexpr int per_thread = 13;  // outputs of each thread
  extern __shared__ float tile[];
  const int block = blockDim.x, thread = threadIdx.x;
  const int first_output = blockIdx.x * per_thread * block;
  const int first = first_output + offset - (taps - 1);  // the leftmost input that the block needs
  float loaded[per_thread];
  for (int k = 0; k < per_thread; ++k) {
    const int source = first + k * block + thread;
    loaded[k] = source >= 0 && source < size ? input[source] : 0;
  }
  for (int i = per_thread * block + thread; i < per_thread * block + taps - 1; i += block)
    tile[i] = first + i >= 0 && first + i < size ? input[first + i] : 0;
  for (int k = 0; k < per_thread; ++k) tile[k * block + thread] = loaded[k];
  __syncthreads();

  float window[per_thread], sums[per_thread] = {};
  for (int k = 1; k < per_thread; ++k) window[k] = tile[per_thread * thread + k - 1];
#pragma unroll per_thread
  for (int i = 0; i < taps; ++i) {
    for (int k = 0; k < per_thread - 1; ++k) window[k] = window[k + 1];
    window[per_thread - 1] = tile[per_thread * thread + i + per_thread - 1];
    for (int k = 0; k < per_thread; ++k) sums[k] += constant_taps[taps - 1 - i] * window[k];
  }
  __syncthreads();

  for (int k = 0; k < per_thread; ++k) tile[per_thread * thread + k] = sums[k];
  __syncthreads();
  for (int k = 0; k < per_thread; ++k) {
    const int i = k * block + thread;
    if (first_output + i < output_size) output[first_output + i] = tile[i];
  }
}
