// expect: line 9: macro CHECK declares a variable e, too, so the macro's argument names that one: rename one of the two
#include <cstdio>
#include <cuda_runtime.h>
#define CHECK(x) { cudaError_t e = x; if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); return 1; } }
__global__ void k(float* a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = i; }
int main() {
  float *d, *h = new float[256];
  cudaEvent_t e;
  CHECK(cudaEventCreate(&e));
  CHECK(cudaMalloc(&d, 1024));
  k<<<1, 256>>>(d, 256);
  CHECK(cudaEventRecord(e));
  CHECK(cudaEventSynchronize(e));
  CHECK(cudaMemcpy(h, d, 1024, cudaMemcpyDeviceToHost));
  printf("%g\n", h[7]);
  CHECK(cudaFree(d));
  delete[] h;
}
