// expect: out-of-bounds-read
// sizes: m, n or k not a multiple of 32
// because: At the right and lower edges a tile reaches beyond the matrices, and no guard stands before the reads.

// Fetch, multiply, and store what is inside C.
__global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  constexpr int tile = 32;
  __shared__ float a[tile][tile], b[tile][tile];
  const int row = blockIdx.y * tile + threadIdx.y;
  const int column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < k; first += tile) {
    const int a_column = first + threadIdx.x, b_row = first + threadIdx.y;
    a[threadIdx.y][threadIdx.x] = A[row * k + a_column];
    b[threadIdx.y][threadIdx.x] = B[b_row * n + column];
    __syncthreads();
    for (int i = 0; i < tile; ++i) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
