// expect: write: f, not &f
#include <cstdio>
#include <cstdlib>
#include <vector>
__constant__ float f;
__global__ void twice(float* x, int n) { int i = threadIdx.x; x[i] = f*x[i]; }
int main() {
  float *dx, h = 2;
  cudaMalloc(&dx, 4*sizeof(float));
  cudaMemset(dx, 0, 16);
  cudaMemcpyToSymbol(&f, &h, sizeof(float));
  twice<<<1, 4>>>(dx, 4);
  cudaDeviceSynchronize();
  cudaFree(dx);
}
