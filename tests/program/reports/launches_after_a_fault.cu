// expect: DEFECT out-of-bounds
// expect: from here on no kernel ran (launches: 2)
// expect: launches_after_a_fault.cu:13:
#include <cstdio>

__global__ void before(int* x) { x[threadIdx.x - 3] = 1; }
__global__ void within(int* x) { x[threadIdx.x] = 1; }

int main() {
  int *x, h[32];
  cudaMalloc(&x, sizeof h);
  before<<<1, 32>>>(x);
  within<<<1, 32>>>(x);
  within<<<1, 32>>>(x);
  cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d\n", h[5]);
  cudaFree(x);
}
