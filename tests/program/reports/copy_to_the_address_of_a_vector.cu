// expect: write: y.data(), not &y
#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void twice(const float* x, float* y, int n) { int i = blockIdx.x*blockDim.x+threadIdx.x; if (i < n) y[i] = 2*x[i]; }
int main() {
  int n = 1000;
  std::vector<float> x(n, 1), y(2*n);
  float *dx, *dy;
  cudaMalloc(&dx, n*sizeof(float));
  cudaMalloc(&dy, n*sizeof(float));
  cudaMemcpy(dx, x.data(), n*sizeof(float), cudaMemcpyHostToDevice);
  twice<<<4, 256>>>(dx, dy, n);
  cudaMemcpy(&y, dy, n*sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", y[0]);
}
