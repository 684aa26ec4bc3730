// expect: DEFECT unset-variable 'dx' was never given memory: line 8 gives it to p, a copy of the pointer
// never: DEFECT wrong-direction
// never: DEFECT misaligned
#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void twice(const float* x, float* y, int n) { int i = blockIdx.x*blockDim.x+threadIdx.x; if (i < n) y[i] = 2*x[i]; }
void get(float* p, int n) { cudaMalloc(&p, n*sizeof(float)); }
int main() {
  int n = 1000;
  std::vector<float> x(n, 1), y(n);
  float *dx, *dy;
  get(dx, n);
  get(dy, n);
  cudaMemcpy(dx, x.data(), n*sizeof(float), cudaMemcpyHostToDevice);
  twice<<<4, 256>>>(dx, dy, n);
  cudaMemcpy(y.data(), dy, n*sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", y[0]);
}
