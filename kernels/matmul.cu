// C = A B, where A is m x k, B is k x n and C is m x n, all of them row after row in memory

// One thread per element of C. The threads of a warp are neighbours in a row: they read neighbours of B and
// the same element of A, over and over again from global memory.
__global__ void matmul_naive(const float* A, const float* B, float* C, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += A[row * k + i] * B[i * n + column];
  C[row * n + column] = sum;
}

// x and y swapped: the result is right. But the threads of a warp are now neighbours in a column, whose
// elements lie a whole row apart, so that each needs a piece of memory of its own.
__global__ void matmul_naive_swapped(const float* A, const float* B, float* C, int m, int n, int k) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += A[row * k + i] * B[i * n + column];
  C[row * n + column] = sum;
}

// The block fetches a square of A and a square of B into shared memory, one element per thread, and uses each
// 32 times. Squares are filled up with zeros at the edges. Expects blocks of 32 x 32 threads.
__global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[32][32], b[32][32];
  const int row = blockIdx.y * 32 + threadIdx.y;
  const int column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < k; first += 32) {
    const int a_column = first + threadIdx.x, b_row = first + threadIdx.y;
    a[threadIdx.y][threadIdx.x] = row < m && a_column < k ? A[row * k + a_column] : 0;
    b[threadIdx.y][threadIdx.x] = b_row < k && column < n ? B[b_row * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
    __syncthreads();  // before the next squares replace these
  }
  if (row < m && column < n) C[row * n + column] = sum;
}

// A block computes 128 x 128 elements of C and a thread 8 x 8 of them, in registers: 16 words from shared
// memory serve for 64 multiplications. A thread's rows and columns come in two groups of four, 64 apart, so
// that the threads of a warp read neighbouring words. Expects blocks of 16 x 16 threads.
__global__ void __launch_bounds__(256)
    matmul_register_blocked(const float* A, const float* B, float* C, int m, int n, int k) {
  // a is transposed, and its rows have 4 words more than they need, so that a warp stores to 32 different
  // banks.
  __shared__ __align__(16) float a[8][128 + 4];
  __shared__ __align__(16) float b[8][128];
  const int first_row = blockIdx.y * 128, first_column = blockIdx.x * 128;
  const int thread = threadIdx.y * 16 + threadIdx.x;
  float sums[8][8] = {};
  for (int first = 0; first < k; first += 8) {
    for (int i = thread; i < 8 * 128; i += 256) {
      const int a_row = first_row + i / 8, a_column = first + i % 8;
      const int b_row = first + i / 128, b_column = first_column + i % 128;
      a[i % 8][i / 8] = a_row < m && a_column < k ? A[a_row * k + a_column] : 0;
      b[i / 128][i % 128] = b_row < k && b_column < n ? B[b_row * n + b_column] : 0;
    }
    __syncthreads();
    for (int i = 0; i < 8; ++i) {
      float a_values[8], b_values[8];
      for (int j = 0; j < 8; ++j) {
        a_values[j] = a[i][j / 4 * 64 + threadIdx.y * 4 + j % 4];
        b_values[j] = b[i][j / 4 * 64 + threadIdx.x * 4 + j % 4];
      }
      for (int row = 0; row < 8; ++row)
        for (int column = 0; column < 8; ++column) sums[row][column] += a_values[row] * b_values[column];
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      const int row = first_row + i / 4 * 64 + threadIdx.y * 4 + i % 4;
      const int column = first_column + j / 4 * 64 + threadIdx.x * 4 + j % 4;
      if (row < m && column < n) C[row * n + column] = sums[i][j];
    }
  }
}

// Four neighbours in a row of a matrix, and zeros beyond it. Rows of a multiple of four elements all begin at
// a multiple of 16 bytes: there one load fetches all four.
__device__ float4 four_of(const float* matrix, int row, int column, int rows, int columns) {
  if (row >= rows || column >= columns) return make_float4(0, 0, 0, 0);
  const float* const first = &matrix[row * columns + column];
  if (columns % 4 == 0) return *reinterpret_cast<const float4*>(first);
  return make_float4(first[0], column + 1 < columns ? first[1] : 0, column + 2 < columns ? first[2] : 0,
                     column + 3 < columns ? first[3] : 0);
}

// Two buffers in turn. While the block multiplies out of one, the elements for the other are on their way to
// registers: nobody waits for memory, and one barrier per step is enough. What a thread needs comes 16 bytes at
// a time, from global and from shared memory. Expects blocks of 16 x 16 threads.
__global__ void __launch_bounds__(256, 2)
    matmul_double_buffered(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ __align__(16) float a[2][8][128 + 4];
  __shared__ __align__(16) float b[2][8][128];
  const int first_row = blockIdx.y * 128, first_column = blockIdx.x * 128;
  const int thread = threadIdx.y * 16 + threadIdx.x;
  const int a_row = thread / 2, a_column = thread % 2 * 4, b_row = thread / 32, b_column = thread % 32 * 4;
  float sums[8][8] = {};
  float4 next_a = four_of(A, first_row + a_row, a_column, m, k);
  float4 next_b = four_of(B, b_row, first_column + b_column, k, n);
#pragma unroll 1
  for (int first = 0, buffer = 0; first < k; first += 8, buffer ^= 1) {
    a[buffer][a_column][a_row] = next_a.x;
    a[buffer][a_column + 1][a_row] = next_a.y;
    a[buffer][a_column + 2][a_row] = next_a.z;
    a[buffer][a_column + 3][a_row] = next_a.w;
    *reinterpret_cast<float4*>(&b[buffer][b_row][b_column]) = next_b;
    __syncthreads();
    next_a = four_of(A, first_row + a_row, first + 8 + a_column, m, k);
    next_b = four_of(B, first + 8 + b_row, first_column + b_column, k, n);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      float a_values[8], b_values[8];
      for (int j = 0; j < 8; j += 4) {
        *reinterpret_cast<float4*>(&a_values[j]) =
            *reinterpret_cast<const float4*>(&a[buffer][i][j / 4 * 64 + threadIdx.y * 4]);
        *reinterpret_cast<float4*>(&b_values[j]) =
            *reinterpret_cast<const float4*>(&b[buffer][i][j / 4 * 64 + threadIdx.x * 4]);
      }
      for (int row = 0; row < 8; ++row)
        for (int column = 0; column < 8; ++column) sums[row][column] += a_values[row] * b_values[column];
    }
  }
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      const int row = first_row + i / 4 * 64 + threadIdx.y * 4 + i % 4;
      const int column = first_column + j / 4 * 64 + threadIdx.x * 4 + j % 4;
      if (row < m && column < n) C[row * n + column] = sums[i][j];
    }
  }
}

// The same with fewer reads. A warp has a tile of 64 x 32 sums of its own, eight lanes high and four wide, and
// lanes that need the same four words stand side by side: shared memory serves them in two cycles, not four.
// And a thread goes to and fro through its sums: from one multiplication to the next only one factor changes,
// and the other need not be read again from the registers, which have two banks and give one word of each a
// cycle, where a multiplication needs three. Expects 256 threads.
__global__ void __launch_bounds__(256, 2)
    matmul_warp_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ __align__(16) float a[2][8][128 + 4];
  __shared__ __align__(16) float b[2][8][128];
  const int first_row = blockIdx.y * 128, first_column = blockIdx.x * 128;
  const int thread = threadIdx.y * blockDim.x + threadIdx.x, warp = thread / 32, lane = thread % 32;
  const int row_of_lane = warp / 4 * 64 + (lane / 8 * 2 + lane % 2) * 4;
  const int column_of_lane = warp % 4 * 32 + lane / 2 % 4 * 4;
  const int a_row = thread / 2, a_column = thread % 2 * 4, b_row = thread / 32, b_column = thread % 32 * 4;
  float sums[8][8] = {};
  float4 next_a = four_of(A, first_row + a_row, a_column, m, k);
  float4 next_b = four_of(B, b_row, first_column + b_column, k, n);
#pragma unroll 1
  for (int first = 0, buffer = 0; first < k; first += 8, buffer ^= 1) {
    a[buffer][a_column][a_row] = next_a.x;
    a[buffer][a_column + 1][a_row] = next_a.y;
    a[buffer][a_column + 2][a_row] = next_a.z;
    a[buffer][a_column + 3][a_row] = next_a.w;
    *reinterpret_cast<float4*>(&b[buffer][b_row][b_column]) = next_b;
    __syncthreads();
    next_a = four_of(A, first_row + a_row, first + 8 + a_column, m, k);
    next_b = four_of(B, first + 8 + b_row, first_column + b_column, k, n);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      float a_values[8], b_values[8];
      for (int j = 0; j < 8; j += 4) {
        *reinterpret_cast<float4*>(&a_values[j]) =
            *reinterpret_cast<const float4*>(&a[buffer][i][j / 4 * 32 + row_of_lane]);
        *reinterpret_cast<float4*>(&b_values[j]) =
            *reinterpret_cast<const float4*>(&b[buffer][i][j / 4 * 16 + column_of_lane]);
      }
#pragma unroll
      for (int row = 0; row < 8; ++row) {
#pragma unroll
        for (int step = 0; step < 8; ++step) {
          const int column = row % 2 ? 7 - step : step;
          sums[row][column] += a_values[row] * b_values[column];
        }
      }
    }
  }
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      const int row = first_row + i / 4 * 32 + row_of_lane + i % 4;
      const int column = first_column + j / 4 * 16 + column_of_lane + j % 4;
      if (row < m && column < n) C[row * n + column] = sums[i][j];
    }
  }
}
