// expect: DEFECT grid-too-small kernel scale has 1 thread for 1 000 elements
// expect: write: <<<(n + 255) / 256, 256>>>, and if (i < n) in the kernel
// never: (n + 0)
#include <cstdio>
__global__ void scale(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
int main() {
  const int n = 1000;
  static float h[n];
  float* d;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  scale<<<1, 1>>>(d, n);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  printf("%f\n", h[n - 1]);
  cudaFree(d);
}
