// expect: DEFECT out-of-bounds
// expect: 448 bytes before the 1 024 bytes that cudaMalloc gave in line 14 (256 elements; this would be element -112)
#include <cstdio>
__global__ void count(const char* data, int* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[data[i]], 1);
}
int main() {
  const int n = 256;
  char h[n] = {}, *data;
  int b[256], *bins;
  for (int i = 0; i < n; ++i) h[i] = i * i;  // negative from 128 on
  cudaMalloc(&data, n);
  cudaMalloc(&bins, 256 * sizeof(int));
  cudaMemset(bins, 0, 256 * sizeof(int));
  cudaMemcpy(data, h, n, cudaMemcpyHostToDevice);
  count<<<1, n>>>(data, bins, n);
  cudaMemcpy(b, bins, sizeof b, cudaMemcpyDeviceToHost);
  printf("%d\n", b[0]);
  cudaFree(data); cudaFree(bins);
}
