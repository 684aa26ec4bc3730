// wrong = the number of i with |actual[i] - expected[i]| > absolute + relative |expected[i]|
//
// Compares the results of timed launches with the expected ones. In the device's memory the expected ones are masked:
// each word is XORed with a keyed hash of its index. So a kernel that looks for them finds
// nothing to copy.

__device__ unsigned int mask_of(unsigned int word, unsigned int key) {
  unsigned int mixed = word * 0x9E3779B9u ^ key;
  mixed = (mixed ^ (mixed >> 16)) * 0x85EBCA6Bu;
  mixed = (mixed ^ (mixed >> 13)) * 0xC2B2AE35u;
  return mixed ^ (mixed >> 16);
}

__global__ void hide_words(unsigned int* words, unsigned int size, unsigned int key) {
  const unsigned int threads = gridDim.x * blockDim.x;
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += threads) words[i] ^= mask_of(i, key);
}

// Returns element i of an array of these words: int, unsigned int, unsigned char, float or double.
template <class WordAt>
__device__ double element_at(unsigned int i, int type, WordAt word_at) {
  switch (type) {
    case 0: return static_cast<int>(word_at(i));
    case 1: return word_at(i);
    case 2: return word_at(i / 4) >> 8 * (i % 4) & 0xFFu;
    case 3: return __uint_as_float(word_at(i));
    default: return __hiloint2double(static_cast<int>(word_at(2 * i + 1)), static_cast<int>(word_at(2 * i)));
  }
}

// NaNs that outputs are poisoned with have these bits, or larger ones.
constexpr unsigned long long first_poison = 0xFFFFFFFFE0000000ull;

// The same as is_close of the host: a NaN is close to a NaN, unless it is poison.
__device__ bool is_close(double actual, double expected, double relative, double absolute) {
  if (expected != expected)
    return actual != actual && static_cast<unsigned long long>(__double_as_longlong(actual)) < first_poison;
  const double error = fabs(actual - expected);
  return actual == expected || (error <= absolute + relative * fabs(expected) && error < INFINITY);
}

__global__ void count_wrong(const unsigned int* actual, const unsigned int* hidden, int type, unsigned int size,
                            unsigned int key, double relative, double absolute, unsigned int* wrong) {
  const unsigned int threads = gridDim.x * blockDim.x;
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += threads) {
    const double computed = element_at(i, type, [=](unsigned int word) { return actual[word]; });
    const double expected = element_at(i, type, [=](unsigned int word) { return hidden[word] ^ mask_of(word, key); });
    if (!is_close(computed, expected, relative, absolute)) atomicAdd(wrong, 1u);
  }
}
