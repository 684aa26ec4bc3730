// expect: an int was negative, or a product of ints has overflowed
#include <cstdio>
__global__ void k(int* p, int n) { int i = threadIdx.x; if (i < n) p[i] = i; }
int main() {
  int n;
  int* d;
  cudaMalloc(&d, n * sizeof(int));
  n = 100;
  k<<<1, 128>>>(d, n);
  cudaDeviceSynchronize();
  cudaFree(d);
}
