// expect: write: at most 4 000 bytes
// never: allocation-size
#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void twice(const float* x, float* y, int n) { int i = blockIdx.x*blockDim.x+threadIdx.x; if (i < n) y[i] = 2*x[i]; }
int main() {
  int n = 1000;
  float *x = (float*)malloc(n*sizeof(float)), *y = (float*)malloc(n*sizeof(float));
  for (int i = 0; i < n; i++) x[i] = i;
  float *dx, *dy;
  cudaMalloc(&dx, n*sizeof(float));
  cudaMalloc(&dy, n*sizeof(float));
  cudaMemcpy(dx, x, n*sizeof(float), cudaMemcpyHostToDevice);
  twice<<<4, 256>>>(dx, dy, n);
  cudaMemcpy(y, dy, 2*n*sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++) if (y[i] != 2*x[i]) { printf("wrong at %d\n", i); break; }
}
