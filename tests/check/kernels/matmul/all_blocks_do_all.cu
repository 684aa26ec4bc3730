// expect: repeated-work: the loop in line 3 begins at the same element in every block
__global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  for (int row = threadIdx.y; row < m; row += blockDim.y)
    for (int col = threadIdx.x; col < n; col += blockDim.x) {
      float sum = 0;
      for (int i = 0; i < k; i++) sum += A[row * k + i] * B[i * n + col];
      C[row * n + col] = sum;
    }
}
