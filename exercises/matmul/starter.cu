// C = A B, where A is m x k, B is k x n and C is m x n, all row-major
//
//   A, B      the two matrices, read only; A[row * k + i] is in that row of A
//   C         their product
//   m, n, k   rows of A and C; columns of B and C; columns of A and rows of B
//
// A block of 32 x 32 threads computes a tile of C, one element for each thread.
// It goes along the rows of A and down the columns of B, tile by tile: each
// thread fetches one element of A and one of B, and then all 32 x 32 of them
// serve every thread of the block. Beyond the edges of A and B the tiles are
// padded with zeros.
//
// To do: fill the tiles a and b, and add their products to sum. About five
// lines, two of them barriers.
// Check it: gpulab check matmul.cu

__global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  constexpr int tile = 32;
  __shared__ float a[tile][tile], b[tile][tile];
  const int row = blockIdx.y * tile + threadIdx.y;
  const int column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < k; first += tile) {
    const int a_column = first + threadIdx.x, b_row = first + threadIdx.y;
    // TODO: fetch A[row * k + a_column] and B[b_row * n + column], or 0 beyond
    // the edges, and add up
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
