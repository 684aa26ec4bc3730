// C = A B, where A is m x k, B is k x n and C is m x n, all row-major
//
// After matmul_warp_tiled (matmul_vectorised.cu), whose loads pass through registers. Next: matmul_by_size.cu.
//
// A multistage pipeline. At each step along k, a block waits for the oldest copy, starts another one and multiplies:
//
//   step         0          1          2          3
//   stage 0   multiply   copy ............  multiply
//   stage 1   .. copy    multiply   copy ............
//   stage 2   copy ............  multiply   copy ....

constexpr int tile = 128;                         // a block computes tile x tile elements of C (BM, BN)
constexpr int depth = 8;                          // columns of A and rows of B in a stage (BK)
constexpr int stages = 3;                         // of the pipeline, in shared memory
constexpr int side = 8;                           // a thread computes side x side elements of C (TM, TN)
constexpr int vector_width = 4;                   // floats in a load of 16 bytes
constexpr int warp_rows = 64, warp_columns = 32;  // a warp's part of the tile (WM, WN)
constexpr int a_pitch = tile + 4;  // a is transposed: with 4 words of padding, a warp copies to 32 different banks

// Starts a copy from global to shared memory that bypasses the registers: cp.async, of 4 or of 16 bytes. The thread
// does not wait for it. Out of bounds it writes zeros and does not read the address.
template <int bytes>
__device__ void cp_async(float* to, const float* from, bool in_bounds) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(in_bounds ? 16 : 0));
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from), "r"(in_bounds ? 4 : 0));
}

// Groups the thread's copies since the last commit. Groups complete in order.
__device__ void cp_async_commit_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most `pending` groups are in flight.
template <int pending>
__device__ void cp_async_wait_group() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

// Starts a thread's part of the copy of a stage: columns of A, transposed, and rows of B, from `first` on. cp.async
// cannot transpose 16 bytes, so A is copied 4 bytes at a time: four times the instructions. Row indices are clamped to
// the last row: sums of rows beyond it are never stored.
__device__ void start_copies(float (*a)[a_pitch], float (*b)[tile], const float* A, const float* B, int first_row,
                             int first_column, int first, int m, int n, int k) {
  const int a_row = threadIdx.x / depth, a_column = threadIdx.x % depth, rows_at_once = 256 / depth;
#pragma unroll
  for (int i = 0; i < tile; i += rows_at_once) {
    const int row = min(first_row + a_row + i, m - 1), column = first + a_column;
    cp_async<4>(&a[a_column][a_row + i], &A[row * k + column], column < k);
  }
  const int b_row = threadIdx.x / 32, column = first_column + threadIdx.x % 32 * vector_width;
#pragma unroll
  for (int i = 0; i < depth; i += 256 / 32) {
    const int row = first + b_row + i;
    float* const to = &b[b_row + i][threadIdx.x % 32 * vector_width];
    const float* const from = &B[row * n + column];
    if (n % vector_width == 0)
      cp_async<16>(to, from, row < k && column < n);
    else
      for (int j = 0; j < vector_width; ++j) cp_async<4>(to + j, from + j, row < k && column + j < n);
  }
}

// Reads a thread's elements of one row of a and one row of b: two groups of four each.
__device__ void read_values(float (&a_values)[side], float (&b_values)[side], const float* a, const float* b) {
  for (int j = 0; j < side; j += vector_width) {
    *reinterpret_cast<float4*>(&a_values[j]) = *reinterpret_cast<const float4*>(&a[j / vector_width * warp_rows / 2]);
    *reinterpret_cast<float4*>(&b_values[j]) =
        *reinterpret_cast<const float4*>(&b[j / vector_width * warp_columns / 2]);
  }
}

// Asynchronous copies: matmul_warp_tiled, but tiles go from global to shared memory without a detour through registers,
// two steps ahead: while the block waits for the oldest copy, one more is in flight. On an H200 this is as fast as
// matmul_warp_tiled, where double buffering hid the latency already. Asynchronous copies free registers, and
// matmul_by_size fills them with more sums. Expects 256 threads in one row.
__global__ void __launch_bounds__(256, 2)
    matmul_async_copies(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ __align__(16) float a[stages][depth][a_pitch];
  __shared__ __align__(16) float b[stages][depth][tile];
  const int first_row = blockIdx.y * tile, first_column = blockIdx.x * tile;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row_of_lane = warp / 4 * warp_rows + (lane / 8 * 2 + lane % 2) * vector_width;  // as in matmul_warp_tiled
  const int column_of_lane = warp % 4 * warp_columns + lane / 2 % 4 * vector_width;
  float sums[side][side] = {};
  for (int stage = 0; stage < stages - 1; ++stage) {
    start_copies(a[stage], b[stage], A, B, first_row, first_column, stage * depth, m, n, k);
    cp_async_commit_group();
  }
  int stage = 0;
#pragma unroll 1
  for (int first = 0; first < k; first += depth) {
    cp_async_wait_group<stages - 2>();
    __syncthreads();  // all copies of this stage have arrived, and all threads have finished the previous one
    const int free_stage = stage == 0 ? stages - 1 : stage - 1;
    start_copies(a[free_stage], b[free_stage], A, B, first_row, first_column, first + (stages - 1) * depth, m, n, k);
    cp_async_commit_group();
#pragma unroll
    for (int i = 0; i < depth; ++i) {
      float a_values[side], b_values[side];
      read_values(a_values, b_values, &a[stage][i][row_of_lane], &b[stage][i][column_of_lane]);
#pragma unroll
      for (int row = 0; row < side; ++row) {
#pragma unroll
        for (int step = 0; step < side; ++step) {
          const int column = row % 2 ? side - 1 - step : step;  // serpentine, as in matmul_warp_tiled
          sums[row][column] += a_values[row] * b_values[column];
        }
      }
    }
    stage = stage == stages - 1 ? 0 : stage + 1;
  }
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      const int row = first_row + row_of_lane + i / vector_width * warp_rows / 2 + i % vector_width;
      const int column = first_column + column_of_lane + j / vector_width * warp_columns / 2 + j % vector_width;
      if (row < m && column < n) C[row * n + column] = sums[i][j];
    }
  }
}
