// expect: add has no blockIdx.x, so its blocks along x all do the same
// expect: write: blockIdx.x * blockDim.x + threadIdx.x
// never: atomicAdd
#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void add(const float* x, float* y, int n) {
  int i = threadIdx.x;
  if (i < n) y[i] += x[i];
}
int main() {
  int n = 1000;
  std::vector<float> x(n, 1), y(n, 2);
  float *dx, *dy;
  cudaMalloc(&dx, n*sizeof(float));
  cudaMalloc(&dy, n*sizeof(float));
  cudaMemcpy(dx, x.data(), n*sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y.data(), n*sizeof(float), cudaMemcpyHostToDevice);
  add<<<4, 256>>>(dx, dy, n);
  cudaMemcpy(y.data(), dy, n*sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", y[999]);
  cudaFree(dx); cudaFree(dy);
}
