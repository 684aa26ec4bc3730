// expect: DEFECT copy-size cudaMemcpy is given sizeof of a pointer, which is 8 bytes; the memory has 256
#include <cstdio>
#include <cstdlib>
__global__ void f(int* p) { p[threadIdx.x] = 1; }
int main() {
  int* d; cudaMalloc(&d, 64 * sizeof(int));
  f<<<1, 64>>>(d);
  int* h = (int*)malloc(64 * sizeof(int));
  cudaMemcpy(h, d, sizeof(int*), cudaMemcpyDeviceToHost);
  int s = 0; for (int i = 0; i < 64; ++i) s += h[i];
  printf("%d\n", s);
  cudaFree(d); free(h);
}
