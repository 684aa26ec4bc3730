// expect: write: __threadfence(); between the two stores in line 5
// never: either may come first
#include <cstdio>
__global__ void f(int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) { data[0] = 42; *flag = 1; }
  else { while (*flag == 0) {} out[0] = data[0]; }
}
int main() {
  int *d, *fl, *o; cudaMalloc(&d, 4); cudaMalloc(&fl, 4); cudaMalloc(&o, 4);
  cudaMemset(fl, 0, 4);
  f<<<2, 1>>>(d, fl, o);
  int h; cudaMemcpy(&h, o, 4, cudaMemcpyDeviceToHost);
  printf("%d\n", h);
  cudaFree(d); cudaFree(fl); cudaFree(o);
}
