// expect: out-of-bounds-read: changing 'n && column < k' in line 14
// Tiling. The block copies a tile of A and a tile of B to shared memory, one element of each per thread, and uses every
// element 32 times: 32 times fewer loads from global memory. Tiles are padded at the edges with zeros, which do not
// change a sum. Expects blocks of 32 x 32 threads.
__global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  constexpr int tile = 32;
  __shared__ float a[tile][tile], b[tile][tile];
  const int row = blockIdx.y * tile + threadIdx.y;
  const int column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < k; first += tile) {
    const int a_column = first + threadIdx.x, b_row = first + threadIdx.y;
    a[threadIdx.y][threadIdx.x] = row < m && a_column < k ? A[row * k + a_column] : 0;
    b[threadIdx.y][threadIdx.x] = b_row < n && column < k ? B[b_row * n + column] : 0;
    __syncthreads();  // a thread reads what all others have copied
    for (int i = 0; i < tile; ++i) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
    __syncthreads();  // before the next tiles replace these
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
