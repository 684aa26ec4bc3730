// C = A B, where A is m x k, B is k x n and C is m x n, all of them row after row in memory

// The instructions take a 32-bit address in shared memory.
__device__ unsigned shared_address(const float* place) {
  return static_cast<unsigned>(__cvta_generic_to_shared(place));
}

// One element, or four at a multiple of 16 bytes, from global to shared memory past the registers. The thread
// does not wait for it. Zeros instead of elements that do not exist: their address is not read.
__device__ void copy_one(unsigned to, const float* from, bool exists) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(exists ? 4 : 0));
}
__device__ void copy_four(unsigned to, const float* from, bool exists) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(exists ? 16 : 0));
}

// The thread's copies since the last call are a group. Groups end in the order in which they began.
__device__ void end_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
__device__ void wait_for_all_but_the_last_group() {
  asm volatile("cp.async.wait_group 1;" ::: "memory");
}
__device__ void wait_for_all_groups() {
  asm volatile("cp.async.wait_group 0;" ::: "memory");
}

// Begins one of the 16 parts of the copy of a slab: 16 columns of A, transposed, and 16 rows of B, from first on. A
// row of A or a column of B that does not exist is replaced by the last that does: what is multiplied with it is not
// stored.
__device__ void copy_part(int part, float (*a)[256 + 4], float (*b)[128], const float* A, const float* B,
                          int first_row, int first_column, int first, int m, int n, int k) {
  const int a_row = threadIdx.x / 16 + part * 16, a_column = threadIdx.x % 16;
  const int row_of_A = min(first_row + a_row, m - 1), column_of_A = first + a_column;
  copy_one(shared_address(&a[a_column][a_row]), &A[row_of_A * k + column_of_A], column_of_A < k);
  if (part % 8 > 0) return;  // B has an eighth of the copies, because they are wider
  const int b_row = threadIdx.x / 32 + part, b_column = threadIdx.x % 32 * 4;
  const int row_of_B = first + b_row, column_of_B = first_column + b_column;
  const unsigned to = shared_address(&b[b_row][b_column]);
  if (n % 4 == 0) {
    copy_four(to, &B[row_of_B * n + min(column_of_B, n - 4)], row_of_B < k);
  } else {
    for (int j = 0; j < 4; ++j) copy_one(to + j * 4, &B[row_of_B * n + min(column_of_B + j, n - 1)], row_of_B < k);
  }
}

// A thread's 16 elements of a row of a and 8 of a row of b, in groups of four.
__device__ void read_values(float (&a_values)[16], float (&b_values)[8], const float* a, const float* b) {
  for (int j = 0; j < 16; j += 4)
    *reinterpret_cast<float4*>(&a_values[j]) = *reinterpret_cast<const float4*>(&a[j / 4 * 16]);
  for (int j = 0; j < 8; j += 4)
    *reinterpret_cast<float4*>(&b_values[j]) = *reinterpret_cast<const float4*>(&b[j / 4 * 32]);
}

extern __shared__ __align__(16) float shared[];

// Three buffers: while the block multiplies out of one, the next is complete or nearly so, and copies fill the
// third, a part between any two steps: all at once they would queue up, and the loads of the next step behind them.
// No register holds what is on its way, so a thread can have 16 x 8 sums: 24 words from shared memory serve for 128
// multiplications, and it reads those of the next step before it multiplies those of this one.
// Expects 256 threads, 256 x 128 elements of C to a block, and 74 496 bytes of shared memory.
__global__ void __launch_bounds__(256)
    matmul_async_copies(const float* A, const float* B, float* C, int m, int n, int k) {
  float(*const a)[16][256 + 4] = reinterpret_cast<float(*)[16][256 + 4]>(shared);
  float(*const b)[16][128] = reinterpret_cast<float(*)[16][128]>(shared + 3 * 16 * (256 + 4));
  const int first_row = blockIdx.y * 256, first_column = blockIdx.x * 128;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row_of_lane = warp / 2 * 64 + (lane / 16 * 2 + lane % 2) * 4;
  const int column_of_lane = warp % 2 * 64 + lane / 2 % 8 * 4;
  float sums[16][8] = {};
  for (int slab = 0; slab < 2; ++slab) {
    for (int part = 0; part < 16; ++part)
      copy_part(part, a[slab], b[slab], A, B, first_row, first_column, slab * 16, m, n, k);
    end_group();
  }
  float a_values[2][16], b_values[2][8];
  wait_for_all_but_the_last_group();
  __syncthreads();
  read_values(a_values[0], b_values[0], &a[0][0][row_of_lane], &b[0][0][column_of_lane]);
  int buffer = 0;
#pragma unroll 1
  for (int first = 0; first < k; first += 16) {
    const int free = buffer == 0 ? 2 : buffer - 1, next = buffer == 2 ? 0 : buffer + 1;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      if (i == 15) {
        wait_for_all_groups();
        __syncthreads();
      }
      copy_part(i, a[free], b[free], A, B, first_row, first_column, first + 32, m, n, k);
      const int from = i < 15 ? buffer : next, at = (i + 1) % 16;
      read_values(a_values[at % 2], b_values[at % 2], &a[from][at][row_of_lane], &b[from][at][column_of_lane]);
#pragma unroll
      for (int row = 0; row < 16; ++row) {
#pragma unroll
        for (int step = 0; step < 8; ++step) {
          const int column = row % 2 ? 7 - step : step;
          sums[row][column] += a_values[i % 2][row] * b_values[i % 2][column];
        }
      }
    }
    end_group();
    buffer = next;
  }
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 8; ++j) {
      const int row = first_row + i / 4 * 16 + row_of_lane + i % 4;
      const int column = first_column + j / 4 * 32 + column_of_lane + j % 4;
      if (row < m && column < n) C[row * n + column] = sums[i][j];
    }
  }
}
