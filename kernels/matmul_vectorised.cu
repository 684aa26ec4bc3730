// C = A B, where A is m x k, B is k x n and C is m x n, all row-major
//
// After matmul_register_blocked: vectorised, padded, double-buffered, warp-tiled. Next: matmul_async_copies.cu.
//
// Every block in this file has 256 threads, and each thread 8 x 8 sums in registers:
//
//              columns (BN = 128)                         thread (x, y) of matmul_padded:
//             +--------------------+                         4 columns        4 columns
//             | b: depth x columns |                        +--------+ ..... +--------+
//             +--------------------+                 4 rows | 16 sums|       | 16 sums|
//  +--------+ +--------------------+                        +--------+       +--------+
//  | a:     | |                    |                            :     half a tile     :
//  | rows   | |   C: rows (BM =    |                        +--------+       +--------+
//  | x      | |   128) x columns   |                 4 rows | 16 sums|       | 16 sums|
//  | depth  | |                    |                        +--------+ ..... +--------+
//  +--------+ +--------------------+
//   (BK = 8)

constexpr int tile = 128;          // a block computes tile x tile elements of C (BM, BN)
constexpr int depth = 8;           // columns of A and rows of B in shared memory (BK)
constexpr int side = 8;            // a thread computes side x side elements of C (TM, TN)
constexpr int vector_width = 4;    // floats in a load of 16 bytes
constexpr int block_side = 16;     // threads of a block, in x and in y
constexpr int a_pitch = tile + 4;  // words from one row of a to the next, with padding

// Loads four neighbours in a row of a matrix, with zeros beyond it. If rows have a multiple of four elements, they all
// begin at a multiple of 16 bytes, and one vectorised load fetches all four.
__device__ float4 load_float4(const float* matrix, int row, int column, int rows, int columns) {
  if (row >= rows || column >= columns) return make_float4(0, 0, 0, 0);
  const float* const first = &matrix[row * columns + column];
  if (columns % vector_width == 0) return *reinterpret_cast<const float4*>(first);
  return make_float4(first[0], column + 1 < columns ? first[1] : 0, column + 2 < columns ? first[2] : 0,
                     column + 3 < columns ? first[3] : 0);
}

// Stores four neighbours of a row of A below each other.
template <int pitch>
__device__ void store_transposed(float (*a)[pitch], int row, int column, const float4& values) {
  a[column][row] = values.x;
  a[column + 1][row] = values.y;
  a[column + 2][row] = values.z;
  a[column + 3][row] = values.w;
}

// Reads a thread's elements of one row of a and of one row of b, in two groups of four. The groups begin a_distance or
// b_distance words apart.
__device__ void read_values(float (&a_values)[side], float (&b_values)[side], const float* a, const float* b,
                            int a_distance, int b_distance) {
  for (int j = 0; j < side; j += vector_width) {
    *reinterpret_cast<float4*>(&a_values[j]) = *reinterpret_cast<const float4*>(&a[j / vector_width * a_distance]);
    *reinterpret_cast<float4*>(&b_values[j]) = *reinterpret_cast<const float4*>(&b[j / vector_width * b_distance]);
  }
}

// Stores a thread's sums, from (first_row, first_column) of C on, in groups of 4 x 4. The groups begin row_distance or
// column_distance apart.
__device__ void store_sums(const float (&sums)[side][side], float* C, int first_row, int first_column, int row_distance,
                           int column_distance, int m, int n) {
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      const int row = first_row + i / vector_width * row_distance + i % vector_width;
      const int column = first_column + j / vector_width * column_distance + j % vector_width;
      if (row < m && column < n) C[row * n + column] = sums[i][j];
    }
  }
}

// Vectorised loads: matmul_register_blocked with loads of 16 bytes, from global and from shared memory. So there are a
// quarter as many load instructions. For this, a is stored transposed: then the 8 elements that a thread needs are
// neighbours. The 32 banks deliver 32 words in a pass, so a load of 4 words by 32 lanes takes 4 passes if all words
// differ. A load from a takes 2, since pairs of lanes read the same words. Bank conflicts stay: lanes read b 8 words
// apart, in 8 passes. That is 2 for a word, where matmul_register_blocked took 4. Expects blocks of 16 x 16 threads.
__global__ void __launch_bounds__(256)
    matmul_vectorised(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ __align__(16) float a[depth][tile];
  __shared__ __align__(16) float b[depth][tile];
  const int first_row = blockIdx.y * tile, first_column = blockIdx.x * tile;
  const int thread = threadIdx.y * block_side + threadIdx.x;
  const int a_row = thread / 2, a_column = thread % 2 * vector_width;
  const int b_row = thread / 32, b_column = thread % 32 * vector_width;
  float sums[side][side] = {};
  for (int first = 0; first < k; first += depth) {
    store_transposed(a, a_row, a_column, load_float4(A, first_row + a_row, first + a_column, m, k));
    *reinterpret_cast<float4*>(&b[b_row][b_column]) = load_float4(B, first + b_row, first_column + b_column, k, n);
    __syncthreads();
    for (int i = 0; i < depth; ++i) {
      float a_values[side], b_values[side];
      read_values(a_values, b_values, &a[i][threadIdx.y * side], &b[i][threadIdx.x * side], vector_width, vector_width);
      for (int row = 0; row < side; ++row)
        for (int column = 0; column < side; ++column) sums[row][column] += a_values[row] * b_values[column];
    }
    __syncthreads();
  }
  store_sums(sums, C, first_row + threadIdx.y * side, first_column + threadIdx.x * side, vector_width, vector_width, m,
             n);
}

// No bank conflicts. In stores, by padding: a warp stores columns 0 and 4 of A at once. With 128 words in a row of a,
// both go to the same banks, in 2 passes; with 4 words of padding they are 16 banks apart, and 1 pass is enough. In
// reads, by a split thread tile: two groups of four columns, half a tile apart, instead of eight columns side by side.
// Then 8 lanes read 32 neighbouring words of b, one from each bank: 4 passes for a load, not 8. Expects blocks of
// 16 x 16 threads.
__global__ void __launch_bounds__(256) matmul_padded(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ __align__(16) float a[depth][a_pitch];
  __shared__ __align__(16) float b[depth][tile];
  const int first_row = blockIdx.y * tile, first_column = blockIdx.x * tile;
  const int thread = threadIdx.y * block_side + threadIdx.x;
  const int a_row = thread / 2, a_column = thread % 2 * vector_width;
  const int b_row = thread / 32, b_column = thread % 32 * vector_width;
  float sums[side][side] = {};
  for (int first = 0; first < k; first += depth) {
    store_transposed(a, a_row, a_column, load_float4(A, first_row + a_row, first + a_column, m, k));
    *reinterpret_cast<float4*>(&b[b_row][b_column]) = load_float4(B, first + b_row, first_column + b_column, k, n);
    __syncthreads();
    for (int i = 0; i < depth; ++i) {
      float a_values[side], b_values[side];
      read_values(a_values, b_values, &a[i][threadIdx.y * vector_width], &b[i][threadIdx.x * vector_width], tile / 2,
                  tile / 2);
      for (int row = 0; row < side; ++row)
        for (int column = 0; column < side; ++column) sums[row][column] += a_values[row] * b_values[column];
    }
    __syncthreads();
  }
  store_sums(sums, C, first_row + threadIdx.y * vector_width, first_column + threadIdx.x * vector_width, tile / 2,
             tile / 2, m, n);
}

// Double buffering: there are two stages in shared memory. While the block multiplies from one, the loads for the other
// are in flight to registers. This hides their latency, the hundreds of cycles until they arrive. One barrier per step
// is enough, not two: a thread that runs ahead stores to the other stage, and it cannot get two steps ahead. The
// loop along k is not unrolled, since its body is long enough: 512 multiply-adds.
// __launch_bounds__(256, 2) limits registers to 128 per thread, so that two blocks fit on a multiprocessor (occupancy).
// Expects blocks of 16 x 16 threads.
__global__ void __launch_bounds__(256, 2)
    matmul_double_buffered(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ __align__(16) float a[2][depth][a_pitch];
  __shared__ __align__(16) float b[2][depth][tile];
  const int first_row = blockIdx.y * tile, first_column = blockIdx.x * tile;
  const int thread = threadIdx.y * block_side + threadIdx.x;
  const int a_row = thread / 2, a_column = thread % 2 * vector_width;
  const int b_row = thread / 32, b_column = thread % 32 * vector_width;
  float sums[side][side] = {};
  float4 next_a = load_float4(A, first_row + a_row, a_column, m, k);
  float4 next_b = load_float4(B, b_row, first_column + b_column, k, n);
#pragma unroll 1
  for (int first = 0, stage = 0; first < k; first += depth, stage ^= 1) {
    store_transposed(a[stage], a_row, a_column, next_a);
    *reinterpret_cast<float4*>(&b[stage][b_row][b_column]) = next_b;
    __syncthreads();
    next_a = load_float4(A, first_row + a_row, first + depth + a_column, m, k);
    next_b = load_float4(B, first + depth + b_row, first_column + b_column, k, n);
#pragma unroll
    for (int i = 0; i < depth; ++i) {
      float a_values[side], b_values[side];
      read_values(a_values, b_values, &a[stage][i][threadIdx.y * vector_width],
                  &b[stage][i][threadIdx.x * vector_width], tile / 2, tile / 2);
      for (int row = 0; row < side; ++row)
        for (int column = 0; column < side; ++column) sums[row][column] += a_values[row] * b_values[column];
    }
  }
  store_sums(sums, C, first_row + threadIdx.y * vector_width, first_column + threadIdx.x * vector_width, tile / 2,
             tile / 2, m, n);
}

// A warp tile: 64 x 32 sums, with eight lanes down and four across.
constexpr int warp_rows = 64, warp_columns = 32;  // (WM, WN)

// Multiplies one stage. The columns of the sums are taken in serpentine order, forwards, then backwards: from one
// multiply-add to the next only one factor changes, and the other stays in the operand reuse cache. That avoids
// register bank conflicts: operands in the same bank of registers are read one after another.
__device__ void multiply_stage(float (&sums)[side][side], const float (*a)[a_pitch], const float (*b)[tile],
                               int row_of_lane, int column_of_lane) {
#pragma unroll
  for (int i = 0; i < depth; ++i) {
    float a_values[side], b_values[side];
    read_values(a_values, b_values, &a[i][row_of_lane], &b[i][column_of_lane], warp_rows / 2, warp_columns / 2);
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

// Warp tiling: the threads of a warp compute a tile of 64 x 32 elements, not of 16 x 128. So a step reads 64 + 32
// different words of shared memory, not 16 + 128. A load of 16 bytes takes a warp 4 passes, with 8 lanes in each. It
// takes 2 if pairs of lanes read the same words: here lanes 0 and 1 the same of b, and lanes 0 and 2 the same of a.
// Before, that held for a alone. The sums are added in serpentine order, too (multiply_stage). These lanes have these
// rows and columns of the warp tile (and again 32 rows below, and 16 columns to the right):
//
//               columns 0-3   4-7   8-11   12-15
//   rows  0-3          0       2      4       6
//         4-7          1       3      5       7
//         8-11         8      10     12      14
//         ...
//
// Expects blocks of 256 threads, in x and y.
__global__ void __launch_bounds__(256, 2)
    matmul_warp_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ __align__(16) float a[2][depth][a_pitch];
  __shared__ __align__(16) float b[2][depth][tile];
  const int first_row = blockIdx.y * tile, first_column = blockIdx.x * tile;
  const int thread = threadIdx.y * blockDim.x + threadIdx.x, warp = thread / 32, lane = thread % 32;
  const int row_of_lane = warp / 4 * warp_rows + (lane / 8 * 2 + lane % 2) * vector_width;
  const int column_of_lane = warp % 4 * warp_columns + lane / 2 % 4 * vector_width;
  const int a_row = thread / 2, a_column = thread % 2 * vector_width;
  const int b_row = thread / 32, b_column = thread % 32 * vector_width;
  float sums[side][side] = {};
  float4 next_a = load_float4(A, first_row + a_row, a_column, m, k);
  float4 next_b = load_float4(B, b_row, first_column + b_column, k, n);
#pragma unroll 1
  for (int first = 0, stage = 0; first < k; first += depth, stage ^= 1) {
    store_transposed(a[stage], a_row, a_column, next_a);
    *reinterpret_cast<float4*>(&b[stage][b_row][b_column]) = next_b;
    __syncthreads();
    next_a = load_float4(A, first_row + a_row, first + depth + a_column, m, k);
    next_b = load_float4(B, first + depth + b_row, first_column + b_column, k, n);
    multiply_stage(sums, a[stage], b[stage], row_of_lane, column_of_lane);
  }
  store_sums(sums, C, first_row + row_of_lane, first_column + column_of_lane, warp_rows / 2, warp_columns / 2, m, n);
}
