// expect: give nvcc the option --extended-lambda
#include <cstdio>
template <class F>
__global__ void k(F f, int* x) {
  x[threadIdx.x] = f(threadIdx.x);
}
int main() {
  int* x;
  cudaMalloc(&x, 128);
  k<<<1, 32>>>([] __device__(int a) { return a + 1; }, x);
  int h;
  cudaMemcpy(&h, x, 4, cudaMemcpyDeviceToHost);
  printf("%d\n", h);
  cudaFree(x);
}
