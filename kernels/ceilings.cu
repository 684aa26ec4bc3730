// How fast memory is at best, read, copied, and with two arrays read for one written: what other kernels are
// measured by

// Two 16-byte loads per thread, and the thread ends: blocks begin in order, so that all together go through memory
// from front to back. Only a sum that is no number is stored; the compiler must keep the loads, for it cannot know
// that there is none. Expects an input that is aligned to 16 bytes.
__global__ void stream_read(const float* input, float* sink, int size) {
  const float4* const fours = reinterpret_cast<const float4*>(input);
  const int first = blockIdx.x * 2 * blockDim.x + threadIdx.x;
  const int second = first + blockDim.x;
  const float4 zero = make_float4(0, 0, 0, 0);
  const float4 a = first < size / 4 ? fours[first] : zero;
  const float4 b = second < size / 4 ? fours[second] : zero;
  float sum = (a.x + a.y) + (a.z + a.w) + (b.x + b.y) + (b.z + b.w);
  const int left = size / 4 * 4 + first;  // at most three elements do not fill a load
  if (left < size) sum += input[left];
  if (sum != sum) *sink = sum;
}

// One 16-byte load and store per thread. More per thread, blocks that stay, and loads and stores that are marked as
// streaming are all slower.
__global__ void stream_copy(const float* input, float* output, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const int fours = size / 4;
  if (item < fours)
    reinterpret_cast<float4*>(output)[item] = reinterpret_cast<const float4*>(input)[item];
  else if (item == fours)
    for (int i = 4 * fours; i < size; ++i) output[i] = input[i];
}

// The same with two inputs.
__global__ void stream_add2(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const int fours = size / 4;
  if (item < fours) {
    const float4 a = reinterpret_cast<const float4*>(A)[item];
    const float4 b = reinterpret_cast<const float4*>(B)[item];
    reinterpret_cast<float4*>(C)[item] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
  } else if (item == fours) {
    for (int i = 4 * fours; i < size; ++i) C[i] = A[i] + B[i];
  }
}

// How many multiplications and additions the multiprocessors do: in eight chains per thread, each of which waits for
// itself alone, and with nothing from memory. Their end is stored only if it is no number, as above.
__global__ void multiply_add(float* sink, float factor, float summand, int rounds) {
  float chains[8];
  for (int i = 0; i < 8; ++i) chains[i] = threadIdx.x + i;
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < 8; ++i) chains[i] = chains[i] * factor + summand;
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += chains[i];
  if (sum != sum) *sink = sum;
}
