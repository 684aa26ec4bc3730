// expect: DEFECT launch-failure the launch of k was refused
// expect: the program asks for the error's text, goes on and ends with 0
// never: once was refused (cudaErrorInvalidConfiguration): a block has at most 1024 threads, not 4096; the program
#include <cstdio>

__global__ void k(float* p) { p[threadIdx.x] = 1; }
__global__ void once(float* p) { p[threadIdx.x] += 1; }

int main() {
  float *p, h[64];
  cudaMalloc(&p, sizeof h);
  cudaMemset(p, 0, sizeof h);
  k<<<1, 2048>>>(p);
  cudaError_t e = cudaGetLastError();
  if (e != cudaSuccess) printf("launch failed: %s\n", cudaGetErrorString(e));
  once<<<1, 4096>>>(p);
  if ((e = cudaGetLastError()) != cudaSuccess) {  // does it with fewer threads
    printf("launch failed: %s\n", cudaGetErrorString(e));
    once<<<1, 64>>>(p);
  }
  cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
  printf("%g\n", h[0]);
  cudaFree(p);
}
