// expect: write: atomicMax((int*)m, __float_as_int(x[i])) if no value is negative, or a loop with atomicCAS
// never: volatile
#include <cstdio>
__global__ void mx(float* m, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > *m) *m = x[i];
}
int main() {
  int n = 512;
  float *x, *m, h[512];
  for (int i = 0; i < n; ++i) h[i] = (i * 37) % 101;
  cudaMalloc(&x, n * 4); cudaMalloc(&m, 4);
  cudaMemcpy(x, h, n * 4, cudaMemcpyHostToDevice);
  cudaMemset(m, 0, 4);
  mx<<<2, 256>>>(m, x, n);
  cudaMemcpy(h, m, 4, cudaMemcpyDeviceToHost);
  printf("%g\n", h[0]);
  cudaFree(x); cudaFree(m);
}
