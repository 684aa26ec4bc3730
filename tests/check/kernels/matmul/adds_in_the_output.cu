// expect: uninitialised-global: set it above the loop, or add to a variable
__global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  int row = blockIdx.y * 32 + threadIdx.y;
  int column = blockIdx.x * 32 + threadIdx.x;
  if (row < m && column < n) {
    for (int i = 0; i < k; i++) C[row * n + column] += A[row * k + i] * B[i * n + column];  // here
  }
}
