// expect: DEFECT unset-variable 'p' is used before it has a value: out of bounds
#include <cstdio>
__global__ void fill2(char* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  char* p;
  if (i < n) p[i] = 1;
}
int main() {
  float* d;
  cudaMalloc(&d, 400);
  cudaMemset(d, 0, 400);
  fill2<<<1, 32>>>((char*)d, 10);
  cudaDeviceSynchronize();
  cudaFree(d);
}
