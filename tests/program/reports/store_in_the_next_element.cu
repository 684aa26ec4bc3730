// expect: DEFECT out-of-bounds
// never: write: if (i + 1 < n)
#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void add(const float* x, float* y, int n) {
  int i = blockIdx.x*blockDim.x+threadIdx.x;
  if (i < n) y[i + 1] = 2*x[i];
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
