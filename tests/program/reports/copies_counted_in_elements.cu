// expect: 4 defects found
#include <cstdio>
#include <cstdlib>
#include <vector>
#define COUNT 1024

__global__ void twice(float* x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] *= 2;
}

void bring(float* host, const float* device, int count) {
  cudaMemcpy(host, device, count, cudaMemcpyDeviceToHost);
}

int main(int count, char** words) {
  const int n = count > 1 ? atoi(words[1]) : COUNT;
  std::vector<float> h(COUNT);
  float* x;
  cudaMalloc(&x, COUNT * sizeof(float));
  cudaMemset(x, 0, COUNT * sizeof(float));
  twice<<<1, COUNT>>>(x, COUNT);
  cudaMemcpy(h.data(), x, h.size(), cudaMemcpyDeviceToHost);
  cudaMemcpy(h.data(), x, (size_t)COUNT, cudaMemcpyDeviceToHost);
  cudaMemcpy(h.data(), x, n, cudaMemcpyDeviceToHost);
  bring(h.data(), x, COUNT);
  printf("%g\n", h[15]);
  cudaFree(x);
}
