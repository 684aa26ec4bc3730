// expect: no defect found
#include <cstdio>
__global__ void big(int* out, int n) {
  int a[20000];
  for (int i = 0; i < n; ++i) a[i] = i;
  int s = 0;
  for (int i = 0; i < n; ++i) s += a[n - 1 - i];
  out[threadIdx.x] = s;
}
int main() {
  int* d; cudaMalloc(&d, 32 * sizeof(int));
  big<<<1, 32>>>(d, 20000);
  int h[32];
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d\n", h[0]);
  cudaFree(d);
}
