// expect: write: the results to another array: line 10 reads elements that line 12 writes
// never: either may come first
// never: volatile
#include <cstdio>
__global__ void smooth(float* a, int n) {
  __shared__ float s[66];
  int i = blockIdx.x * 64 + threadIdx.x;
  s[threadIdx.x + 1] = a[i];
  if (threadIdx.x == 0) s[0] = i > 0 ? a[i - 1] : 0;
  if (threadIdx.x == 63) s[65] = i < n - 1 ? a[i + 1] : 0;
  __syncthreads();
  a[i] = (s[threadIdx.x] + s[threadIdx.x + 1] + s[threadIdx.x + 2]) / 3;
}
int main() {
  int n = 256;
  float *a, h[256];
  for (int i = 0; i < n; ++i) h[i] = i * i;
  cudaMalloc(&a, n * 4);
  cudaMemcpy(a, h, n * 4, cudaMemcpyHostToDevice);
  smooth<<<4, 64>>>(a, n);
  cudaMemcpy(h, a, n * 4, cudaMemcpyDeviceToHost);
  printf("%g %g\n", h[64], (63 * 63 + 64 * 64 + 65 * 65) / 3.);
  cudaFree(a);
}
