// The ceilings of the roofline model, the best that the device can do: reading memory, copying, reading two arrays and
// writing one, and multiplying. Other kernels are compared with them.

// Each thread does two 16-byte loads and ends. In practice blocks begin in order, and go through memory from front to
// back. A thread stores its sum only if it is a NaN. The compiler cannot know that the input has none, so it
// must keep the loads. Expects an input that is aligned to 16 bytes.
__global__ void stream_read(const float* input, float* sink, int size) {
  const float4* const vectors = reinterpret_cast<const float4*>(input);
  const int first = blockIdx.x * 2 * blockDim.x + threadIdx.x;
  const int second = first + blockDim.x;
  const float4 zero = make_float4(0, 0, 0, 0);
  const float4 a = first < size / 4 ? vectors[first] : zero;
  const float4 b = second < size / 4 ? vectors[second] : zero;
  float sum = (a.x + a.y) + (a.z + a.w) + (b.x + b.y) + (b.z + b.w);
  const int leftover = size / 4 * 4 + first;  // at most three elements do not fill a load
  if (leftover < size) sum += input[leftover];
  if (sum != sum) *sink = sum;
}

// Copy, from the STREAM benchmark (McCalpin 1995), with one 16-byte load and one store per thread. We measured thread
// coarsening, persistent blocks, and loads and stores that are marked as streaming: none is faster on an H200.
__global__ void stream_copy(const float* input, float* output, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const int vectors = size / 4;
  if (item < vectors)
    reinterpret_cast<float4*>(output)[item] = reinterpret_cast<const float4*>(input)[item];
  else if (item == vectors)
    for (int i = 4 * vectors; i < size; ++i) output[i] = input[i];
}

// Add of STREAM: the same with two inputs.
__global__ void stream_add2(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const int vectors = size / 4;
  if (item < vectors) {
    const float4 a = reinterpret_cast<const float4*>(A)[item];
    const float4 b = reinterpret_cast<const float4*>(B)[item];
    reinterpret_cast<float4*>(C)[item] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
  } else if (item == vectors) {
    for (int i = 4 * vectors; i < size; ++i) C[i] = A[i] + B[i];
  }
}

// Fused multiply-adds in registers, with nothing from memory. Each thread has eight chains, which do not wait for each
// other (instruction-level parallelism). It stores their sum only if it is a NaN, as above.
__global__ void multiply_add(float* sink, float factor, float summand, int rounds) {
  float chains[8];
  for (int i = 0; i < 8; ++i) chains[i] = threadIdx.x + i;
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < 8; ++i) chains[i] = chains[i] * factor + summand;
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += chains[i];
  if (sum != sum) *sink = sum;
}
