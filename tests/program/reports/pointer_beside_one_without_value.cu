// expect: DEFECT unset-variable 'p' is used before it has a value: misaligned address
// expect: 1 defect found
// never: 'q' is used
#include <cstdio>
__global__ void fill(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float *p, *q;
  q = x;
  if (i < n) p[0] = q[i];
}
int main() {
  float* d;
  cudaMalloc(&d, 400);
  cudaMemset(d, 0, 400);
  fill<<<1, 32>>>(d, 10);
  cudaDeviceSynchronize();
  cudaFree(d);
}
