// expect: DEFECT launch-failure the launch of twice was refused
// expect: the program learns of it, goes on and ends with 0
#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void twice(float* x, int n) { int i = blockIdx.x*blockDim.x+threadIdx.x; if (i < n) x[i] = 2*x[i]; }
int main() {
  int n = 5000;
  std::vector<float> x(n, 1);
  float *dx;
  cudaMalloc(&dx, n*sizeof(float));
  cudaMemcpy(dx, x.data(), n*sizeof(float), cudaMemcpyHostToDevice);
  twice<<<4, 1256>>>(dx, n);
  if (cudaGetLastError() != cudaSuccess) printf("oops\n");
  cudaMemcpy(x.data(), dx, n*sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", x[999]);
  cudaFree(dx);
}
