// expect: out-of-bounds-read: nothing uses the size k
__global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += A[row * n + i] * B[i * n + column];
  C[row * n + column] = sum;
}
