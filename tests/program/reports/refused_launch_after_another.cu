// expect: DEFECT launch-failure
// expect: asks for the error's text, goes on and ends with 0
#include <cstdio>
__global__ void scale(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = i;
}
int main() {
  int n = 4096;
  float *a, *b, h[4];
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMemset(b, 0, n * sizeof(float));
  scale<<<16, 256>>>(a, n);
  scale<<<2, 2048>>>(b, n);
  cudaError_t e = cudaGetLastError();
  if (e != cudaSuccess) printf("error: %s\n", cudaGetErrorString(e));
  cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
  printf("%g\n", h[3]);
  cudaFree(a);
  cudaFree(b);
}
