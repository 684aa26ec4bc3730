// expect: uninitialised-shared
// sizes: m or n not a multiple of 32
// because: Where a tile reaches beyond the matrix nothing is stored, and the sum takes what happens to be there.

// Fetch only what is inside.
__global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  constexpr int tile = 32;
  __shared__ float a[tile][tile], b[tile][tile];
  const int row = blockIdx.y * tile + threadIdx.y;
  const int column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < k; first += tile) {
    const int a_column = first + threadIdx.x, b_row = first + threadIdx.y;
    if (row < m && a_column < k) a[threadIdx.y][threadIdx.x] = A[row * k + a_column];
    if (b_row < k && column < n) b[threadIdx.y][threadIdx.x] = B[b_row * n + column];
    __syncthreads();
    for (int i = 0; i < tile; ++i) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
