// expect: note result-not-copied
#include <cstdio>
__global__ void twice(float* p) { p[threadIdx.x] = 2 * p[threadIdx.x]; }
int main() {
  float *p, h[32] = {1};
  cudaMalloc(&p, sizeof h);
  cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
  twice<<<1, 32>>>(p);
  cudaDeviceSynchronize();
  cudaFree(p);
}
