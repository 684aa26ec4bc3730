
__global__ void add(const int* input, int* output, int term, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) output[i] = input[i] + term;
}
__global__ void add_slowly(const int* input, int* output, int term, int size) {
  const long long start = clock64();
  while (clock64() - start < 20000000) {}
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) output[i] = input[i] + term;
}
__constant__ int terms[2];
static __device__ int launches;
__global__ void add_constant(const int* input, int* output, int term, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) output[i] = input[i] + terms[i % 2] * term;
  if (i == 0) ++launches;
}
__device__ __noinline__ int most_frequent(const int* input, int size) {
  int counts[32];
  for (int i = 0; i < 32; ++i) counts[i] = 0;
  for (int i = 0; i < size; ++i) ++counts[input[i] & 31];
  return counts[size & 31];
}
__global__ void use_local(const int* input, int* output, int term, int size) {
  int last[64];
  for (int i = 0; i < size; ++i) last[input[i] & 63] = i;
  output[threadIdx.x] = most_frequent(input, size) + last[term & 63];
}
__global__ void use_shared(const int* input, int* output, int term, int size) {
  extern __shared__ int shared[];
  shared[threadIdx.x] = input[threadIdx.x];
  __syncthreads();
  output[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x] + term;
}
