// expect: fills: are the two arguments of the launch exchanged?
// never: write: cudaMemcpy(
#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void twice(const float* x, float* y, int n) { int i = blockIdx.x*blockDim.x+threadIdx.x; if (i < n) y[i] = 2*x[i]; }
int main() {
  int n = 1000;
  std::vector<float> x(n, 1), y(n);
  float *dx, *dy;
  cudaMalloc(&dx, n*sizeof(float));
  cudaMalloc(&dy, n*sizeof(float));
  cudaMemcpy(dx, x.data(), n*sizeof(float), cudaMemcpyHostToDevice);
  twice<<<4, 256>>>(dy, dx, n);
  printf("%f\n", y[0]);
  cudaMemcpy(y.data(), dy, n*sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(dx); cudaFree(dy);
}
