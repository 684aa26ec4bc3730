// expect: skipped-elements
// sizes: k larger than 1 024
// because: The loop ends at 1024, also if a row of A is longer.

// No sum is longer than a block has threads.
__global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  const int row = blockIdx.y * 32 + threadIdx.y;
  const int column = blockIdx.x * 32 + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k && i < 1024; ++i) sum += A[row * k + i] * B[i * n + column];
  C[row * n + column] = sum;
}
