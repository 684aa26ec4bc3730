// expect: write: half in place of n in the launch in line
#include <cstdio>
__global__ void inc(int* d, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) d[i] += 1;
}
int main() {
  const int n = 1000, half = n / 2;
  int h[n];
  for (int i = 0; i < n; i++) h[i] = i;
  int* d;
  cudaMalloc(&d, n * sizeof(int));
  cudaMemcpy(d, h, n * sizeof(int), cudaMemcpyHostToDevice);
  for (int k = 0; k < 2; k++) inc<<<(n + 255) / 256, 256>>>(d + k * half, n);
  cudaMemcpy(h, d, n * sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", h[999]);
  cudaFree(d);
}
