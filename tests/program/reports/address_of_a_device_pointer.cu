// expect: write: d, not &d
#include <cstdio>
__global__ void set(float* x) { x[threadIdx.x] = 1; }
int main() {
  float *d, h[32];
  cudaMalloc(&d, 128);
  set<<<1, 32>>>(d);
  cudaMemcpy(h, &d, 128, cudaMemcpyDeviceToHost);
  printf("%g\n", h[3]);
  cudaFree(d);
}
