// expect: element 0 of the 4 000 bytes
// expect: step, launched in line 20, wrote only elements 1 to 998 of 1 000, and nothing sets the others
// expect: write: cudaMemset or cudaMemcpy before the first launch, or a kernel that writes the others, too
// never: host memory
#include <cstdio>

__global__ void step(const float* u, float* v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) v[i] = (u[i - 1] + u[i + 1]) / 2;
}

int main() {
  int n = 1000;
  float *u, *v, h;
  cudaMalloc(&u, n * sizeof(float));
  cudaMalloc(&v, n * sizeof(float));
  cudaMemset(u, 0, n * sizeof(float));

  // Each step reads what the other has written.
  step<<<8, 128>>>(u, v, n);
  step<<<8, 128>>>(v, u, n);
  cudaMemcpy(&h, u, sizeof h, cudaMemcpyDeviceToHost);
  printf("%g\n", h);
  cudaFree(u);
  cudaFree(v);
}
