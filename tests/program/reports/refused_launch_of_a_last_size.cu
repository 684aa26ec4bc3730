// expect: DEFECT launch-failure
#include <cstdio>
__global__ void k(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = i;
}
void launch(float* a, int n, int t) {
  k<<<(n + t - 1) / t, t>>>(a, n);
  if (cudaGetLastError() != cudaSuccess) fprintf(stderr, "launch failed with %d threads\n", t);
}
int main() {
  int n = 1 << 12;
  float *a, h[4];
  cudaMalloc(&a, n * sizeof(float));
  for (int t = 512; t <= 2048; t *= 2) launch(a, n, t);
  cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
  printf("%g\n", h[3]);
  cudaFree(a);
  return 0;
}
