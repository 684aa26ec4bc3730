// expect: write: if (x < width && y < height) before the access
// expect: : 2 defects found
// never: race-global
#include <cstdio>
__global__ void mm(const float* A, const float* B, float* C, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  float s;
  for (int k = 0; k < n; k++) s += A[row * n + k] * B[k * n + col];
  C[row * n + col] = s;
}
int main() {
  const int n = 40;
  float h[n * n];
  for (int i = 0; i < n * n; i++) h[i] = 1;
  float *a, *c;
  cudaMalloc(&a, sizeof(h));
  cudaMalloc(&c, sizeof(h));
  cudaMemcpy(a, h, sizeof(h), cudaMemcpyHostToDevice);
  mm<<<dim3(3, 3), dim3(16, 16)>>>(a, a, c, n);
  cudaMemcpy(h, c, sizeof(h), cudaMemcpyDeviceToHost);
  printf("%f\n", h[5]);
  cudaFree(a); cudaFree(c);
}
