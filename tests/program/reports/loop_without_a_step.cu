// expect: DEFECT time-limit the loop in line 5 does not end: nothing in it changes 'i' or 'n'
#include <cstdio>
__global__ void scale(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  while (i < n) {
    x[i] = 2.0f;
  }
}
int main() {
  const int n = 256;
  float* d;
  cudaMalloc(&d, n * sizeof(float));
  scale<<<1, 256>>>(d, n);
  cudaDeviceSynchronize();
  cudaFree(d);
  printf("done\n");
}
