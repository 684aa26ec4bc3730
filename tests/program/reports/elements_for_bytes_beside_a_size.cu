// expect: DEFECT allocation-size
// expect: cudaMalloc allocates 4 000 bytes, but kernel add is given 4 000
// never: in the launch: the kernel counts elements
#include <cstdio>
#include <cstdlib>

__global__ void add(const float* a, const float* b, float* c, int n, size_t bytes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main() {
  const int n = 4000;
  float *a = (float*)malloc(n * sizeof(float));
  float *b = (float*)malloc(n * sizeof(float));
  float *c = (float*)malloc(n * sizeof(float));
  for (int i = 0; i < n; i++) { a[i] = i; b[i] = 2 * i; }
  float *d_a, *d_b, *d_c;
  cudaMalloc(&d_a, n);
  cudaMalloc(&d_b, n);
  cudaMalloc(&d_c, n);
  add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n, 1000 * sizeof(float));
  printf("c[10] = %g, c[999] = %g\n", c[10], c[999]);
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
  free(a); free(b); free(c);
}
