// expect: note race-global
// never: DEFECT
#include <cstdio>
__global__ void find_max(const int* a, int n, int* m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && a[i] > *m) atomicMax(m, a[i]);
}
int main() {
  const int n = 1000;
  int h[n];
  for (int i = 0; i < n; i++) h[i] = (i * 7919) % 1009;
  int *d, *m;
  cudaMalloc(&d, n * 4);
  cudaMalloc(&m, 4);
  cudaMemset(m, 0, 4);
  cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice);
  find_max<<<(n + 255) / 256, 256>>>(d, n, m);
  int r;
  cudaMemcpy(&r, m, 4, cudaMemcpyDeviceToHost);
  printf("%d\n", r);
  cudaFree(d);
  cudaFree(m);
}
