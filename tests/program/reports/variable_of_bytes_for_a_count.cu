// expect: kernel add is given bytes, 4 000 bytes, as a number of elements: out of bounds
// expect: write: n in the launch: the kernel counts elements
#include <cstdio>
#include <cstdlib>

__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main() {
  const int n = 1000;
  float *a = (float*)malloc(n * sizeof(float));
  float *b = (float*)malloc(n * sizeof(float));
  float *c = (float*)malloc(n * sizeof(float));
  for (int i = 0; i < n; i++) { a[i] = i; b[i] = 2 * i; }
  float *d_a, *d_b, *d_c;
  size_t all = sizeof(float) * n;
  cudaMalloc(&d_a, all);
  cudaMalloc(&d_b, n * sizeof(float));
  cudaMalloc(&d_c, n * sizeof(float));
  cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b, n * sizeof(float), cudaMemcpyHostToDevice);
  size_t bytes = n * sizeof(float);
  add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, bytes);
  cudaMemcpy(c, d_c, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("c[10] = %g, c[999] = %g\n", c[10], c[999]);
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
  free(a); free(b); free(c);
}
