// expect: DEFECT grid-too-small kernel multiply has 112 x 48 threads for 40 x 100 elements
__global__ void multiply(const float* A, const float* B, float* C, int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || col >= n) return;
  float s = 0;
  for (int i = 0; i < k; i++) s += A[row * k + i] * B[i * n + col];
  C[row * n + col] = s;
}
int main() {
  const int m = 100, n = 40, k = 20;
  float *a, *b, *c, h[m * n];
  cudaMalloc(&a, m * k * sizeof(float));
  cudaMalloc(&b, n * k * sizeof(float));
  cudaMalloc(&c, m * n * sizeof(float));
  cudaMemset(a, 0, m * k * sizeof(float));
  cudaMemset(b, 0, n * k * sizeof(float));
  multiply<<<dim3((m + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(a, b, c, m, n, k);
  cudaMemcpy(h, c, sizeof h, cudaMemcpyDeviceToHost);
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
}
