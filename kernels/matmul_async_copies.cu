// C = A B, where A is m x k, B is k x n and C is m x n, all row-major
//
// The plan: a block goes along k in slabs of 16 columns of A and 16 rows of B. There are three buffers in shared
// memory. While the block multiplies from one, the next is complete or nearly so, and asynchronous copies fill the
// third. The copies go past the registers, so a thread has room for 16 x 8 sums: 24 words from shared memory serve 128
// multiplications. A thread reads the values of the next step before it multiplies those of this one.

constexpr int rows = 256, columns = 128;                // of C, for each block
constexpr int depth = 16;                               // columns of A and rows of B in a slab
constexpr int thread_rows = 16, thread_columns = 8;     // of C, for each thread,
constexpr int group = 4;                                // in groups of four neighbours: 16 bytes, one read
constexpr int row_distance = 16, column_distance = 32;  // from one group of a thread to the next
constexpr int a_pitch = rows + 4;  // a is transposed: with 4 words to spare, a warp copies to different banks

// The instructions take a 32-bit address in shared memory.
__device__ unsigned shared_address(const float* place) {
  return static_cast<unsigned>(__cvta_generic_to_shared(place));
}

// cp.async copies one element, or four at a multiple of 16 bytes, from global to shared memory past the registers. The
// thread does not wait for it. If the elements do not exist, it writes zeros and does not read the address.
__device__ void cp_async_one(unsigned to, const float* from, bool exists) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(exists ? 4 : 0));
}
__device__ void cp_async_four(unsigned to, const float* from, bool exists) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(exists ? 16 : 0));
}

// The thread's copies since the last commit are a group. Groups end in the order in which they began.
__device__ void cp_async_commit_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most `pending` groups are still under way.
template <int pending>
__device__ void cp_async_wait_group() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

// Begins one of the 16 parts of the copy of a slab: 16 columns of A, transposed, and 16 rows of B, from first on. A
// row of A or a column of B that does not exist is replaced by the last one that does: what is multiplied with it is
// not stored.
__device__ void copy_part(int part, float (*a)[a_pitch], float (*b)[columns], const float* A, const float* B,
                          int first_row, int first_column, int first, int m, int n, int k) {
  const int a_row = threadIdx.x / depth + part * 16, a_column = threadIdx.x % depth;
  const int row_of_A = min(first_row + a_row, m - 1), column_of_A = first + a_column;
  cp_async_one(shared_address(&a[a_column][a_row]), &A[row_of_A * k + column_of_A], column_of_A < k);
  if (part % 8 > 0) return;  // B has an eighth of the copies, because they are wider
  const int b_row = threadIdx.x / 32 + part, b_column = threadIdx.x % 32 * 4;
  const int row_of_B = first + b_row, column_of_B = first_column + b_column;
  const unsigned to = shared_address(&b[b_row][b_column]);
  if (n % 4 == 0) {
    cp_async_four(to, &B[row_of_B * n + min(column_of_B, n - 4)], row_of_B < k);
  } else {
    for (int j = 0; j < 4; ++j) cp_async_one(to + j * 4, &B[row_of_B * n + min(column_of_B + j, n - 1)], row_of_B < k);
  }
}

// A thread's elements of one row of a and one row of b.
__device__ void read_values(float (&a_values)[thread_rows], float (&b_values)[thread_columns], const float* a,
                            const float* b) {
  for (int j = 0; j < thread_rows; j += group)
    *reinterpret_cast<float4*>(&a_values[j]) = *reinterpret_cast<const float4*>(&a[j / group * row_distance]);
  for (int j = 0; j < thread_columns; j += group)
    *reinterpret_cast<float4*>(&b_values[j]) = *reinterpret_cast<const float4*>(&b[j / group * column_distance]);
}

// Columns go forwards and backwards in turn: from one multiplication to the next only one factor changes.
__device__ void multiply_add(float (&sums)[thread_rows][thread_columns], const float (&a_values)[thread_rows],
                             const float (&b_values)[thread_columns]) {
#pragma unroll
  for (int row = 0; row < thread_rows; ++row) {
#pragma unroll
    for (int step = 0; step < thread_columns; ++step) {
      const int column = row % 2 ? thread_columns - 1 - step : step;
      sums[row][column] += a_values[row] * b_values[column];
    }
  }
}

extern __shared__ __align__(16) float shared[];

// The parts of a copy begin one by one, between the steps of the multiplication: all at once they would queue up, and
// the reads of the next step behind them. Expects 256 threads, 256 x 128 elements of C to a block, and 74 496 bytes of
// shared memory.
__global__ void __launch_bounds__(256)
    matmul_async_copies(const float* A, const float* B, float* C, int m, int n, int k) {
  float(*const a)[depth][a_pitch] = reinterpret_cast<float(*)[depth][a_pitch]>(shared);
  float(*const b)[depth][columns] = reinterpret_cast<float(*)[depth][columns]>(shared + 3 * depth * a_pitch);
  const int first_row = blockIdx.y * rows, first_column = blockIdx.x * columns;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row_of_lane = warp / 2 * 64 + (lane / 16 * 2 + lane % 2) * group;
  const int column_of_lane = warp % 2 * 64 + lane / 2 % 8 * group;
  float sums[thread_rows][thread_columns] = {};
  for (int slab = 0; slab < 2; ++slab) {
    for (int part = 0; part < 16; ++part)
      copy_part(part, a[slab], b[slab], A, B, first_row, first_column, slab * depth, m, n, k);
    cp_async_commit_group();
  }
  float a_values[2][thread_rows], b_values[2][thread_columns];  // of this step and of the next
  cp_async_wait_group<1>();
  __syncthreads();
  read_values(a_values[0], b_values[0], &a[0][0][row_of_lane], &b[0][0][column_of_lane]);
  int buffer = 0;
#pragma unroll 1
  for (int first = 0; first < k; first += depth) {
    const int free = buffer == 0 ? 2 : buffer - 1, next = buffer == 2 ? 0 : buffer + 1;
#pragma unroll
    for (int i = 0; i < depth; ++i) {
      if (i == depth - 1) {
        cp_async_wait_group<0>();
        __syncthreads();
      }
      copy_part(i, a[free], b[free], A, B, first_row, first_column, first + 2 * depth, m, n, k);
      const int from = i < depth - 1 ? buffer : next, at = (i + 1) % depth;
      read_values(a_values[at % 2], b_values[at % 2], &a[from][at][row_of_lane], &b[from][at][column_of_lane]);
      multiply_add(sums, a_values[i % 2], b_values[i % 2]);
    }
    cp_async_commit_group();
    buffer = next;
  }
  for (int i = 0; i < thread_rows; ++i) {
    for (int j = 0; j < thread_columns; ++j) {
      const int row = first_row + i / group * row_distance + row_of_lane + i % group;
      const int column = first_column + j / group * column_distance + column_of_lane + j % group;
      if (row < m && column < n) C[row * n + column] = sums[i][j];
    }
  }
}
