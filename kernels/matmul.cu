// C = A B, where A is m x k, B is k x n and C is m x n, all row-major
//
// The ladder begins here: naive, tiled, coarsened, register-blocked. Next: matmul_vectorised.cu.

// One thread per element of C. The threads of a warp compute neighbours in a row. So they load neighbours in a row of
// B, which lie in 4 sectors (pieces of 32 bytes): the loads are coalesced. And they all load the same element of A,
// from 1 sector: a broadcast. But each multiplication takes two loads from global memory.
__global__ void matmul_naive(const float* A, const float* B, float* C, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += A[row * k + i] * B[i * n + column];
  C[row * n + column] = sum;
}

// Uncoalesced access: x and y are swapped. The result is still right, but the threads of a warp compute neighbours in a
// column, a whole row apart, so each thread needs its own sector: a load of A touches 32 sectors instead of 1, a store
// 32 instead of 4. The loads of B are the broadcast now. (A warp is a row of 32 threads in x.)
__global__ void matmul_naive_swapped(const float* A, const float* B, float* C, int m, int n, int k) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += A[row * k + i] * B[i * n + column];
  C[row * n + column] = sum;
}

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
    b[threadIdx.y][threadIdx.x] = b_row < k && column < n ? B[b_row * n + column] : 0;
    __syncthreads();  // a thread reads what all others have copied
    for (int i = 0; i < tile; ++i) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
    __syncthreads();  // before the next tiles replace these
  }
  if (row < m && column < n) C[row * n + column] = sum;
}

// Thread coarsening. In matmul_tiled, reads of shared memory are the limit: two for each multiplication. Here a thread
// computes 8 neighbours in a column of C. It reads an element of b once, into a register, and uses it 8 times: 8
// multiplications take 9 reads, not 16. The tile of C is larger, too: each fetched element is used 64 times, not 32.
// Expects blocks of 64 x 8 threads.
__global__ void matmul_coarsened(const float* A, const float* B, float* C, int m, int n, int k) {
  constexpr int tile = 64;            // a block computes tile x tile elements of C (BM, BN)
  constexpr int depth = 8;            // columns of A and rows of B in shared memory (BK): a thread copies one of each
  constexpr int sums_per_thread = 8;  // elements of C, one below the other (TM)
  __shared__ float a[tile][depth], b[depth][tile];
  const int first_row = blockIdx.y * tile, column = blockIdx.x * tile + threadIdx.x;
  const int thread = threadIdx.y * tile + threadIdx.x;
  const int a_row = first_row + thread / depth;
  float sums[sums_per_thread] = {};
  for (int first = 0; first < k; first += depth) {
    const int a_column = first + thread % depth, b_row = first + threadIdx.y;
    a[thread / depth][thread % depth] = a_row < m && a_column < k ? A[a_row * k + a_column] : 0;
    b[threadIdx.y][threadIdx.x] = b_row < k && column < n ? B[b_row * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < depth; ++i) {
      const float b_value = b[i][threadIdx.x];
      for (int j = 0; j < sums_per_thread; ++j) sums[j] += a[threadIdx.y * sums_per_thread + j][i] * b_value;
    }
    __syncthreads();
  }
  for (int j = 0; j < sums_per_thread; ++j) {
    const int row = first_row + threadIdx.y * sums_per_thread + j;
    if (row < m && column < n) C[row * n + column] = sums[j];
  }
}

// Register tiling (register blocking) in two dimensions: a thread computes 8 x 8 elements of C. It reads 8 elements of
// a and 8 of b, and multiplies every pair: 64 multiplications take 16 reads of shared memory, where matmul_coarsened
// takes 72. But a block computes 128 x 128 elements, so a small matrix has too few blocks to fill a GPU. And there are
// bank conflicts: shared memory has 32 banks, each of which delivers one word in a pass. Lanes read b 8 words apart, so
// four of them need the same bank: 4 passes, not 1 (for a, 2). The sums stay in registers, since loops with constant
// bounds are unrolled; __launch_bounds__(256) allows a thread 255 registers. Expects blocks of 16 x 16 threads.
__global__ void __launch_bounds__(256)
    matmul_register_blocked(const float* A, const float* B, float* C, int m, int n, int k) {
  constexpr int block_side = 16;           // threads of the block, in x and in y
  constexpr int side = 8;                  // a thread computes side x side elements of C (TM, TN)
  constexpr int tile = block_side * side;  // a block computes tile x tile elements of C (BM, BN)
  constexpr int depth = 8;                 // columns of A and rows of B in shared memory (BK)
  __shared__ float a[tile][depth], b[depth][tile];
  const int first_row = blockIdx.y * tile, first_column = blockIdx.x * tile;
  const int thread = threadIdx.y * block_side + threadIdx.x;
  float sums[side][side] = {};
  for (int first = 0; first < k; first += depth) {
    for (int i = thread; i < tile * depth; i += block_side * block_side) {
      const int a_row = first_row + i / depth, a_column = first + i % depth;
      const int b_row = first + i / tile, b_column = first_column + i % tile;
      a[i / depth][i % depth] = a_row < m && a_column < k ? A[a_row * k + a_column] : 0;
      b[i / tile][i % tile] = b_row < k && b_column < n ? B[b_row * n + b_column] : 0;
    }
    __syncthreads();
    for (int i = 0; i < depth; ++i) {
      float a_values[side], b_values[side];
      for (int j = 0; j < side; ++j) {
        a_values[j] = a[threadIdx.y * side + j][i];
        b_values[j] = b[i][threadIdx.x * side + j];
      }
      for (int row = 0; row < side; ++row)
        for (int column = 0; column < side; ++column) sums[row][column] += a_values[row] * b_values[column];
    }
    __syncthreads();
  }
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      const int row = first_row + threadIdx.y * side + i, column = first_column + threadIdx.x * side + j;
      if (row < m && column < n) C[row * n + column] = sums[i][j];
    }
  }
}
