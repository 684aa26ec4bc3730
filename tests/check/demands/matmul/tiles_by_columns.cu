// expect: right: is uncoalesced: each global load of a warp touches
__global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  constexpr int tile = 32;
  __shared__ float a[tile][tile], b[tile][tile];
  const int row = blockIdx.y * tile + threadIdx.y;
  const int column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < k; first += tile) {
    const int r = blockIdx.y * tile + threadIdx.x, c = blockIdx.x * tile + threadIdx.y;
    a[threadIdx.x][threadIdx.y] = r < m && first + threadIdx.y < k ? A[r * k + first + threadIdx.y] : 0;
    b[threadIdx.x][threadIdx.y] = first + threadIdx.x < k && c < n ? B[(first + threadIdx.x) * n + c] : 0;
    __syncthreads();
    for (int i = 0; i < tile; ++i) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
