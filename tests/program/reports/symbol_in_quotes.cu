// expect: write: c without the quotes
#include <cstdio>
__constant__ int c[4];
__global__ void k(int* a) { a[threadIdx.x] = c[threadIdx.x % 4]; }
int main() {
  int h[4] = {1, 2, 3, 4}, r[32];
  int* d;
  cudaMalloc(&d, sizeof(r));
  cudaMemcpyToSymbol("c", h, sizeof(h));
  k<<<1, 32>>>(d);
  cudaMemcpy(r, d, sizeof(r), cudaMemcpyDeviceToHost);
  printf("%d\n", r[1]);
  cudaFree(d);
}
