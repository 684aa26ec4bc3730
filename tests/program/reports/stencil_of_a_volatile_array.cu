// expect: volatile orders nothing
// expect: write: the results to another array: line 6 reads elements that it writes
#include <cstdio>
__global__ void blur(volatile float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) a[i] = 0.5f * (a[i] + a[i + 1]);
}
int main() {
  int n = 1024;
  float *a, *h = new float[n];
  for (int i = 0; i < n; ++i) h[i] = i * i;
  cudaMalloc(&a, n * 4);
  cudaMemcpy(a, h, n * 4, cudaMemcpyHostToDevice);
  blur<<<8, 128>>>(a, n);
  cudaMemcpy(h, a, n * 4, cudaMemcpyDeviceToHost);
  printf("%g\n", h[127]);
  cudaFree(a);
  delete[] h;
}
