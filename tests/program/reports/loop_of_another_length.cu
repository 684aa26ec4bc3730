// expect: DEFECT out-of-bounds
// never: in the condition of the loop
#include <cstdio>

__global__ void scale(float* x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += gridDim.x * blockDim.x) x[i] = 1;
}

int main() {
  const int n = 1000;
  float* x;
  cudaMalloc(&x, (n - 8) * sizeof(float));
  cudaMemset(x, 0, (n - 8) * sizeof(float));
  scale<<<4, 128>>>(x, n);
  cudaDeviceSynchronize();
  cudaFree(x);
}
