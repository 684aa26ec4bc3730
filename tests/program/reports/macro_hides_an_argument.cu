// expect: DEFECT unset-variable 'e' is used before it has a value, so its value is arbitrary: macro CHECK declares a variable of this name, too
// expect: CHECK(cudaMemcpy(h, d, e, cudaMemcpyDeviceToHost)); DEFECT
#include <cstdio>
#include <cuda_runtime.h>
#define CHECK(x) { cudaError_t e = x; if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); return 1; } }
__global__ void k(float* a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = i; }
int main() {
  size_t e = 256 * sizeof(float);
  float *d, *h = new float[256];
  CHECK(cudaMalloc(&d, e));
  k<<<1, 256>>>(d, 256);
  CHECK(cudaMemcpy(h, d, e, cudaMemcpyDeviceToHost));
  printf("%g\n", h[7]);
  CHECK(cudaFree(d));
  delete[] h;
}
