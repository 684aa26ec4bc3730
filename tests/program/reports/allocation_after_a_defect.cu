// expect: note host-crash cudaHostAlloc in line 11 failed because of the defect above
// expect: 1 defect found
// never: is no address
#include <cstdio>
__global__ void f(int* p) { p[threadIdx.x + 1000000] = 1; }
int main() {
  int* d; cudaMalloc(&d, 64 * sizeof(int));
  f<<<1, 64>>>(d);
  cudaDeviceSynchronize();
  int* q;
  cudaHostAlloc(&q, 64 * sizeof(int), cudaHostAllocDefault);
  for (int i = 0; i < 64; ++i) q[i] = i;
  printf("%d\n", q[3]);
  cudaFreeHost(q); cudaFree(d);
}
