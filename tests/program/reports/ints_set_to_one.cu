// expect: note memset-value cudaMemset sets every byte to 1, so each int becomes 16 843 009, not 1
// expect: note memset-value cudaMemset sets every byte to -1, so each float becomes
// never: set_to_one.cu:19
// never: uninitialised
#include <cstdio>

__global__ void scale(int* b, const int* f, const float* least, const int* free) {
  b[threadIdx.x] = 2 * f[threadIdx.x] + (least[0] > 0) + free[threadIdx.x];
}

int main() {
  int *b, *f, *free, h[256];
  float *least, number;
  cudaMalloc(&b, sizeof h);
  cudaMalloc(&f, sizeof h);
  cudaMalloc(&least, sizeof number);
  cudaMalloc(&free, sizeof h);
  cudaMemset(f, 1, sizeof h);
  cudaMemset(free, -1, sizeof h);
  cudaMemset(least, -1, sizeof number);
  scale<<<1, 256>>>(b, f, least, free);
  cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
  cudaMemcpy(&number, least, sizeof number, cudaMemcpyDeviceToHost);
  printf("%d %g\n", h[7], number);
  cudaFree(b);
  cudaFree(f);
  cudaFree(least);
  cudaFree(free);
}
