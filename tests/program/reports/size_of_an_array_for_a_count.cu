// expect: write: sizeof(h) / sizeof(*h) in the launch
// never: allocation-size
#include <cstdio>
__global__ void inc(int* d, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) d[i] += 1;
}
int main() {
  const int n = 1000;
  int h[n];
  for (int i = 0; i < n; i++) h[i] = i;
  int* d;
  cudaMalloc(&d, sizeof(h));
  cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
  inc<<<(sizeof(h) + 255) / 256, 256>>>(d, sizeof(h));
  cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
  printf("%d\n", h[999]);
  cudaFree(d);
}
