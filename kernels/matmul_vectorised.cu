// C = A B, where A is m x k, B is k x n and C is m x n, all row-major
//
// Both kernels have two buffers in shared memory and use them in turn. While the block multiplies from one, the loads
// for the other are on their way to registers: no thread waits for memory, and one barrier per step is enough.

constexpr int tile = 128;          // a block computes tile x tile elements of C
constexpr int depth = 8;           // columns of A and rows of B in a buffer
constexpr int side = 8;            // a thread computes side x side elements of C,
constexpr int group = 4;           // in groups of four neighbours: 16 bytes, one load
constexpr int a_pitch = tile + 4;  // a is transposed: with 4 words to spare, a warp stores to 32 different banks

// Four neighbours in a row of a matrix, and zeros beyond it. If rows have a multiple of four elements, they all begin
// at a multiple of 16 bytes, and one load fetches all four.
__device__ float4 load_four(const float* matrix, int row, int column, int rows, int columns) {
  if (row >= rows || column >= columns) return make_float4(0, 0, 0, 0);
  const float* const first = &matrix[row * columns + column];
  if (columns % 4 == 0) return *reinterpret_cast<const float4*>(first);
  return make_float4(first[0], column + 1 < columns ? first[1] : 0, column + 2 < columns ? first[2] : 0,
                     column + 3 < columns ? first[3] : 0);
}

// Stores four neighbours of a row of A below each other.
__device__ void store_transposed(float (*a)[a_pitch], int row, int column, const float4& four) {
  a[column][row] = four.x;
  a[column + 1][row] = four.y;
  a[column + 2][row] = four.z;
  a[column + 3][row] = four.w;
}

// A thread's elements of one row of each buffer. Its two groups in a are a_distance apart, those in b b_distance.
__device__ void read_values(float (&a_values)[side], float (&b_values)[side], const float* a, const float* b,
                            int a_distance, int b_distance) {
  for (int j = 0; j < side; j += group) {
    *reinterpret_cast<float4*>(&a_values[j]) = *reinterpret_cast<const float4*>(&a[j / group * a_distance]);
    *reinterpret_cast<float4*>(&b_values[j]) = *reinterpret_cast<const float4*>(&b[j / group * b_distance]);
  }
}

// Stores a thread's sums. Its first element of C is (first_row, first_column).
__device__ void store_sums(const float (&sums)[side][side], float* C, int first_row, int first_column, int row_distance,
                           int column_distance, int m, int n) {
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      const int row = first_row + i / group * row_distance + i % group;
      const int column = first_column + j / group * column_distance + j % group;
      if (row < m && column < n) C[row * n + column] = sums[i][j];
    }
  }
}

// The sums of a thread are those of matmul_register_blocked. Now it loads and reads 16 bytes at a time. Expects blocks
// of 16 x 16 threads.
__global__ void __launch_bounds__(256, 2)
    matmul_double_buffered(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ __align__(16) float a[2][depth][a_pitch];
  __shared__ __align__(16) float b[2][depth][tile];
  const int first_row = blockIdx.y * tile, first_column = blockIdx.x * tile;
  const int thread = threadIdx.y * 16 + threadIdx.x;
  const int a_row = thread / 2, a_column = thread % 2 * 4, b_row = thread / 32, b_column = thread % 32 * 4;
  float sums[side][side] = {};
  float4 next_a = load_four(A, first_row + a_row, a_column, m, k);
  float4 next_b = load_four(B, b_row, first_column + b_column, k, n);
#pragma unroll 1
  for (int first = 0, buffer = 0; first < k; first += depth, buffer ^= 1) {
    store_transposed(a[buffer], a_row, a_column, next_a);
    *reinterpret_cast<float4*>(&b[buffer][b_row][b_column]) = next_b;
    __syncthreads();
    next_a = load_four(A, first_row + a_row, first + depth + a_column, m, k);
    next_b = load_four(B, first + depth + b_row, first_column + b_column, k, n);
#pragma unroll
    for (int i = 0; i < depth; ++i) {
      float a_values[side], b_values[side];
      read_values(a_values, b_values, &a[buffer][i][threadIdx.y * group], &b[buffer][i][threadIdx.x * group], tile / 2,
                  tile / 2);
      for (int row = 0; row < side; ++row)
        for (int column = 0; column < side; ++column) sums[row][column] += a_values[row] * b_values[column];
    }
  }
  store_sums(sums, C, first_row + threadIdx.y * group, first_column + threadIdx.x * group, tile / 2, tile / 2, m, n);
}

// The same with fewer reads. Each warp has a tile of its own, 64 x 32 sums, with eight lanes down and four across.
// Lanes that need the same four words are neighbours: shared memory serves them in two cycles, not four. Registers have
// two banks, and each bank gives one word a cycle, but a multiplication needs three. So a thread goes through the rows
// of its sums forwards and backwards in turn: from one multiplication to the next only one factor changes, and the
// other need not be read again. Expects 256 threads.
__global__ void __launch_bounds__(256, 2)
    matmul_warp_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ __align__(16) float a[2][depth][a_pitch];
  __shared__ __align__(16) float b[2][depth][tile];
  constexpr int warp_rows = 64, warp_columns = 32;
  const int first_row = blockIdx.y * tile, first_column = blockIdx.x * tile;
  const int thread = threadIdx.y * blockDim.x + threadIdx.x, warp = thread / 32, lane = thread % 32;
  const int row_of_lane = warp / 4 * warp_rows + (lane / 8 * 2 + lane % 2) * group;
  const int column_of_lane = warp % 4 * warp_columns + lane / 2 % 4 * group;
  const int a_row = thread / 2, a_column = thread % 2 * 4, b_row = thread / 32, b_column = thread % 32 * 4;
  float sums[side][side] = {};
  float4 next_a = load_four(A, first_row + a_row, a_column, m, k);
  float4 next_b = load_four(B, b_row, first_column + b_column, k, n);
#pragma unroll 1
  for (int first = 0, buffer = 0; first < k; first += depth, buffer ^= 1) {
    store_transposed(a[buffer], a_row, a_column, next_a);
    *reinterpret_cast<float4*>(&b[buffer][b_row][b_column]) = next_b;
    __syncthreads();
    next_a = load_four(A, first_row + a_row, first + depth + a_column, m, k);
    next_b = load_four(B, first + depth + b_row, first_column + b_column, k, n);
#pragma unroll
    for (int i = 0; i < depth; ++i) {
      float a_values[side], b_values[side];
      read_values(a_values, b_values, &a[buffer][i][row_of_lane], &b[buffer][i][column_of_lane], warp_rows / 2,
                  warp_columns / 2);
#pragma unroll
      for (int row = 0; row < side; ++row) {
#pragma unroll
        for (int step = 0; step < side; ++step) {
          const int column = row % 2 ? side - 1 - step : step;
          sums[row][column] += a_values[row] * b_values[column];
        }
      }
    }
  }
  store_sums(sums, C, first_row + row_of_lane, first_column + column_of_lane, warp_rows / 2, warp_columns / 2, m, n);
}
