// expect: write: cudaMalloc of 40 000 bytes in line 16, as many as the destination has; or here at most 400 bytes
// expect: out-of-bounds
#include <cstdio>
#include <vector>

__global__ void outer(const float* a, float* c, int n) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && j < n) c[i * n + j] = a[i] * a[j];
}

int main() {
  const int n = 100;
  std::vector<float> a(n, 2), c(n * n);
  float *da, *dc;
  cudaMalloc(&da, n * sizeof(float));
  cudaMalloc(&dc, n * sizeof(float));
  cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  outer<<<dim3(7, 7), dim3(16, 16)>>>(da, dc, n);
  cudaMemcpy(c.data(), dc, n * n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g\n", c[99]);
  cudaFree(da);
  cudaFree(dc);
}
