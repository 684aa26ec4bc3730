// output[i] = the sum over j of filter[j] * input[i + offset - j], for i in [0, output_size); input is zero
// outside
//
// As numpy.convolve: offset is 0 for 'full', (taps - 1) / 2 for 'same' and taps - 1 for 'valid'.

__constant__ float constant_taps[4096];

constexpr int threads = 128;     // of a block
constexpr int per_thread = 12;   // neighbouring outputs
constexpr int vector_width = 4;  // floats of a 16-byte load
constexpr int vectors_per_thread = per_thread / vector_width;
constexpr int blocks_per_multiprocessor = 12;

// Loads four neighbours, the first at a multiple of 16 bytes.
__device__ float4 load_vector(const float* input, int first, int size) {
  if (first >= 0 && first + vector_width <= size)
    return *reinterpret_cast<const float4*>(&input[first]);
  float values[vector_width];
  for (int k = 0; k < vector_width; ++k)
    values[k] = first + k >= 0 && first + k < size ? input[first + k] : 0;
  return make_float4(values[0], values[1], values[2], values[3]);
}

__device__ void store_vector(float* output, float4 vector, int first, int size) {
  if (first + vector_width <= size) {
    *reinterpret_cast<float4*>(&output[first]) = vector;
  } else {
    const float values[vector_width] = {vector.x, vector.y, vector.z, vector.w};
    for (int k = 0; k < vector_width; ++k)
      if (first + k < size) output[first + k] = values[k];
  }
}

// Register tiling: a thread computes twelve neighbouring outputs. A sliding window in registers has the inputs
// for four taps, and the next four taps need most of them again. So two reads of 16 bytes from shared memory
// serve 48 multiplications; the tiled kernel reads one word of shared and one of constant memory per multiplication.
// Twelve words are an odd multiple of 16 bytes, so there are no bank conflicts. All accesses are 16 bytes wide.
// If a block's first input is not at a multiple of 16 bytes, the block reads from up to three inputs before it on,
// and has as many zeros before the taps (padding). The outputs go back through the tile, so that stores are coalesced.
// Expects an input and an output that are aligned to 16 bytes, blocks of 128 threads, and 2 * (taps + 6) + 12 * 128
// floats of shared memory: the taps and the halo each have up to three more floats before them, and three after them.
__global__ void __launch_bounds__(threads, blocks_per_multiprocessor)
    convolution_1d_window(const float* input, float* output, int size, int taps, int output_size,
                          int offset) {
  extern __shared__ __align__(16) float shared[];
  const int first_output = blockIdx.x * per_thread * threads;
  const int leftmost = first_output + offset - (taps - 1);  // the first input that the block needs
  const int padding = leftmost & (vector_width - 1), first = leftmost - padding;
  const int padded_taps = (padding + taps + vector_width - 1) / vector_width * vector_width;
  float* const flipped = shared;
  float4* const tile = reinterpret_cast<float4*>(&shared[padded_taps]);
  const int thread = threadIdx.x;
  // A thread loads its vectors before its first store, so that these loads are in flight together.
  float4 loaded[vectors_per_thread];
  for (int k = 0; k < vectors_per_thread; ++k)
    loaded[k] = load_vector(input, first + vector_width * (k * threads + thread), size);
  constexpr int own_vectors = vectors_per_thread * threads;
  for (int i = own_vectors + thread; i < own_vectors + padded_taps / vector_width; i += threads)
    tile[i] = load_vector(input, first + vector_width * i, size);
  for (int i = thread; i < padded_taps; i += threads) {
    const int tap = taps - 1 - (i - padding);
    flipped[i] = tap >= 0 && tap < taps ? constant_taps[tap] : 0;
  }
  for (int k = 0; k < vectors_per_thread; ++k) tile[k * threads + thread] = loaded[k];
  __syncthreads();

  const float4* const thread_inputs = &tile[vectors_per_thread * thread];
  float window[per_thread + vector_width], sums[per_thread] = {};
  for (int k = 0; k < per_thread; k += vector_width)
    *reinterpret_cast<float4*>(&window[k]) = thread_inputs[k / vector_width];
#pragma unroll 4
  for (int i = 0; i < padded_taps; i += vector_width) {
    *reinterpret_cast<float4*>(&window[per_thread]) = thread_inputs[vectors_per_thread + i / vector_width];
    const float4 vector = *reinterpret_cast<const float4*>(&flipped[i]);
    const float factors[vector_width] = {vector.x, vector.y, vector.z, vector.w};
    for (int j = 0; j < vector_width; ++j)
      for (int k = 0; k < per_thread; ++k) sums[k] += factors[j] * window[j + k];
    for (int k = 0; k < per_thread; ++k) window[k] = window[k + vector_width];
  }
  __syncthreads();

  for (int k = 0; k < per_thread; k += vector_width)
    tile[vectors_per_thread * thread + k / vector_width] =
        make_float4(sums[k], sums[k + 1], sums[k + 2], sums[k + 3]);
  __syncthreads();
  for (int k = 0; k < vectors_per_thread; ++k) {
    const int i = k * threads + thread;
    store_vector(output, tile[i], first_output + vector_width * i, output_size);
  }
}
