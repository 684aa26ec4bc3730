// output[i] = the sum over j of filter[j] * input[i + offset - j], for i in [0, output_size); input is zero
// outside
//
// As numpy.convolve: offset is 0 for 'full', (taps - 1) / 2 for 'same' and taps - 1 for 'valid'.

__constant__ float constant_taps[4096];

constexpr int threads = 128;    // of a block
constexpr int per_thread = 12;  // outputs, neighbours
constexpr int fours = per_thread / 4;

// Four neighbours, the first at a multiple of 16 bytes.
__device__ float4 load_four(const float* input, int first, int size) {
  if (first >= 0 && first + 4 <= size) return *reinterpret_cast<const float4*>(&input[first]);
  float four[4];
  for (int k = 0; k < 4; ++k) four[k] = first + k >= 0 && first + k < size ? input[first + k] : 0;
  return make_float4(four[0], four[1], four[2], four[3]);
}

__device__ void store_four(float* output, float4 four, int first, int size) {
  if (first + 4 <= size) {
    *reinterpret_cast<float4*>(&output[first]) = four;
  } else {
    const float values[4] = {four.x, four.y, four.z, four.w};
    for (int k = 0; k < 4; ++k)
      if (first + k < size) output[first + k] = values[k];
  }
}

// A thread computes twelve neighbouring outputs. It keeps in registers the inputs that four taps meet: the
// next four meet most of them again. So two reads of 16 bytes from shared memory serve 48 multiplications,
// where the tiled kernel reads two words for each. Twelve words are an odd multiple of 16 bytes, so
// neighbours read from different banks. All accesses are 16 bytes wide, and where the block's inputs do not
// begin at a multiple of 16 bytes, a few zeros go before the taps. The outputs go back through the tile, so
// that neighbours store neighbours. Expects an input and an output that are aligned to 16 bytes, blocks of
// 128 threads, and 2 * (taps + 6) + 12 * 128 floats of shared memory.
__global__ void __launch_bounds__(threads, 12)
    convolution_1d_window(const float* input, float* output, int size, int taps, int output_size,
                          int offset) {
  extern __shared__ __align__(16) float shared[];
  const int first_output = blockIdx.x * per_thread * threads;
  const int leftmost = first_output + offset - (taps - 1);  // input that the block needs
  const int zeros = leftmost & 3, first = leftmost - zeros, padded = (zeros + taps + 3) / 4 * 4;
  float* const flipped = shared;
  float4* const tile = reinterpret_cast<float4*>(&shared[padded]);
  const int thread = threadIdx.x;
  float4 loaded[fours];
  for (int k = 0; k < fours; ++k) loaded[k] = load_four(input, first + 4 * (k * threads + thread), size);
  for (int i = fours * threads + thread; i < fours * threads + padded / 4; i += threads)
    tile[i] = load_four(input, first + 4 * i, size);
  for (int i = thread; i < padded; i += threads) {
    const int tap = taps - 1 - (i - zeros);
    flipped[i] = tap >= 0 && tap < taps ? constant_taps[tap] : 0;
  }
  for (int k = 0; k < fours; ++k) tile[k * threads + thread] = loaded[k];
  __syncthreads();

  float window[per_thread + 4], sums[per_thread] = {};
  for (int k = 0; k < per_thread; k += 4)
    *reinterpret_cast<float4*>(&window[k]) = tile[fours * thread + k / 4];
#pragma unroll 4
  for (int i = 0; i < padded; i += 4) {
    *reinterpret_cast<float4*>(&window[per_thread]) = tile[fours * thread + fours + i / 4];
    const float4 four = *reinterpret_cast<const float4*>(&flipped[i]);
    const float factors[4] = {four.x, four.y, four.z, four.w};
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < per_thread; ++k) sums[k] += factors[j] * window[j + k];
    for (int k = 0; k < per_thread; ++k) window[k] = window[k + 4];
  }
  __syncthreads();

  for (int k = 0; k < per_thread; k += 4)
    tile[fours * thread + k / 4] = make_float4(sums[k], sums[k + 1], sums[k + 2], sums[k + 3]);
  __syncthreads();
  for (int k = 0; k < fours; ++k) {
    const int i = k * threads + thread;
    store_four(output, tile[i], first_output + 4 * i, output_size);
  }
}
