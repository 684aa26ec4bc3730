// One launch of 2^14 blocks that makes 50 million accesses. Not every block is searched for races.
#include <cstdio>
#include <cstring>

constexpr int blocks = 1 << 14, threads = 1024, n = blocks * threads;

__global__ void add(const float* a, const float* b, float* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i] + b[i];
}

__global__ void reverse(const float*, const float*, float* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float mirrored = c[n - 1 - i];  // mirrored
  c[i] = 2 * mirrored + c[n - 1 - i];
}

__global__ void too_far(const float* a, const float* b, float* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[blockIdx.x == blocks / 3 && threadIdx.x == 0 ? n : i] = a[i] + b[i];  // far
}

__global__ void one_before(const float* a, const float* b, float* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i] + b[i] + (blockIdx.x == blocks / 3 ? c[i] : 0);  // before
}

int main(int, char** words) {
  float *a, *b, *c;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&c, n * sizeof(float));
  cudaMemset(a, 0, n * sizeof(float));
  cudaMemset(b, 0, n * sizeof(float));
  if (!std::strcmp(words[1], "reverse")) cudaMemset(c, 0, n * sizeof(float));
  const auto is = [&](const char* name) { return !std::strcmp(words[1], name); };
  const auto kernel = is("reverse") ? reverse : is("too_far") ? too_far : is("one_before") ? one_before : add;
  kernel<<<blocks, threads>>>(a, b, c);
  float last = 1;
  cudaMemcpy(&last, c + n - 1, sizeof last, cudaMemcpyDeviceToHost);
  std::printf("%g\n", last);
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
}
