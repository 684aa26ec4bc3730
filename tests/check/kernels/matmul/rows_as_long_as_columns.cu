// expect: race-global-index: makes the kernel right: a row of C has 'n' elements there
__global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y; float s = 0;
  if (r < m && c < n) { for (int i = 0; i < k; ++i) s += A[r * k + i] * B[i * n + c];
  C[r * m + c] = s; }  // here
}
