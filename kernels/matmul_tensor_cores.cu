// C = A B, where A is m x k, B is k x n and C is m x n, all row-major
//
// After matmul_async_copies, with one block for each tile again. Next: matmul_warpgroups.cu.
//
// 3xTF32 on tensor cores (error-compensated; Ootomo and Yokota 2022). Tensor cores multiply numbers of 11
// significant bits (TF32) and add in float32. A float32 has 24 significant bits, so each operand is split
// into high, a TF32 number, and low, which the tensor core truncates to TF32, and
//
//   a b = high_a high_b + high_a low_b + low_a high_b   (left out: low_a low_b, less than 2^-22 of a b)
//
// Three products on the tensor cores replace one in float32. That is faster: mma.sync, one instruction of a warp,
// makes 16 x 8 x 8 = 1024 products where a multiply-add makes 32, so three of them replace 32 instructions.
// But splitting the numbers takes instructions, too. Needs compute capability 8.0.
//
//   block tile 128 x 128 (BM x BN)     warp tile 64 x 32 (WM x WN)     mma.sync, by all lanes of a warp
//   +-------+------+------+------+     +-----+-----+-----+-----+
//   |       |      |      |      |     | mma |     |     |     |                     8
//   | warp 0|  1   |  2   |  3   |     +-----+-----+-----+-----+                +---------+
//   |       |      |      |      |     |     |     |     |     |            8   |    b    |  8
//   +-------+------+------+------+     +-----+-----+-----+-----+         +-----+---------+
//   |       |      |      |      |     |     |     |     |     |         |     |         |
//   |   4   |  5   |  6   |  7   |     +-----+-----+-----+-----+      16 |  a  |    c    |
//   |       |      |      |      |     |     |     |     |     |         |     |         |
//   +-------+------+------+------+     +-----+-----+-----+-----+         +-----+---------+
//
// One block for each tile, and a multistage pipeline of asynchronous copies (cp.async), as in
// matmul_async_copies. Shared memory has room for three stages, each 32 columns of A and 32 rows of B (BK).
// Numbers are split in registers.
//
//   iteration            0           1           2           3
//   multiplies        stage 0     stage 1     stage 2     stage 0
//   copies in flight  1 and 2     2 and 0     0 and 1     1 and 2

constexpr int tile = 128;                         // rows (BM) and columns (BN) of C for each block
constexpr int depth = 32;                         // columns of A and rows of B in a stage (BK)
constexpr int warp_rows = 64, warp_columns = 32;  // of C, for each of the 8 warps (WM, WN)
// Padding of 4 words for rows of a, and of 8 words for rows of b: lanes served in one pass read different banks.
constexpr int a_pitch = depth + 4, b_pitch = tile + 8;
constexpr int stage_size = tile * a_pitch + depth * b_pitch;  // in floats

// Shape of mma.sync, an instruction of a whole warp: 16 x 8 elements of a times 8 x 8 of b.
constexpr int mma_m = 16, mma_n = 8, mma_k = 8;
constexpr int m_count = warp_rows / mma_m, n_count = warp_columns / mma_n, k_count = depth / mma_k;

// Rounds to 11 significant bits: adds half a unit in the last place, and truncates the 13 bits below it.
__device__ float high_part(float x) {
  return __uint_as_float((__float_as_uint(x) + 0x1000) & 0xffffe000);
}

// Splits numbers: x = high + low.
template <int count>
__device__ void split(const float (&x)[count], float (&high)[count], float (&low)[count]) {
#pragma unroll
  for (int i = 0; i < count; ++i) {
    high[i] = high_part(x[i]);
    low[i] = x[i] - high[i];
  }
}

// Computes c += a b for 16 x 8 numbers of a and 8 x 8 of b, by a whole warp.
// Fragments of a thread, with group = lane / 4 and t = lane % 4 (groupID and threadID_in_group in the PTX
// manual): a in rows group and group + 8, columns t and t + 4; b in rows t and t + 4, column group; c in rows
// group and group + 8, columns 2 t and 2 t + 1.
__device__ void mma_sync(float (&c)[4], const float (&a)[4], const float (&b)[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
        "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}

// Reads the fragments of a, 16 x 8 numbers, from shared memory. The instruction moves elements of 16 bits (.b16),
// and a float counts as two of them.
// Lane l passes the address of four neighbours in row l % 16: columns 0 to 3 in lanes 0 to 15, columns 4 to 7
// in the others.
__device__ void ldmatrix(float (&a)[4], const float* from) {
  unsigned bits[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(bits[0]), "=r"(bits[1]), "=r"(bits[2]), "=r"(bits[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(from))));
  for (int i = 0; i < 4; ++i) a[i] = __uint_as_float(bits[i]);
}

// Starts an asynchronous copy of 4 floats to shared memory, which bypasses the registers.
// Only the first `inside` of them are in bounds: the others become zeros. If rows do not start at a multiple
// of 16 bytes, each float is copied by itself.
__device__ void cp_async(float* to, const float* from, int inside, bool aligned) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  inside = max(0, min(inside, 4));
  if (aligned) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(4 * inside));
  } else {
    for (int i = 0; i < 4; ++i)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address + 4 * i), "l"(from + i),
                   "r"(i < inside ? 4 : 0));
  }
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

// Starts a thread's part of the copy of A or B to a stage: 4 floats in each of 4 rows, row_stride apart.
// The first of the rows is `row`. Rows beyond the end of the matrix become zeros.
__device__ void copy_rows(float* to, int to_stride, const float* from, long long from_stride, int row,
                          int row_stride, int rows, int inside, bool aligned) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
    cp_async(to + i * to_stride, from + i * from_stride, row + i * row_stride < rows ? inside : 0, aligned);
}

// Reads the warp's fragments of the next mma_k columns of a and rows of b.
// A thread holds column `group` of each of the warp's four 8 x 8 parts of b. Part j has columns j, 4 + j, 8 + j, ...
// of the warp's tile, so a thread's four columns are neighbours, and it reads them with one load. The last loop of the
// kernel stores the sums in the order of C's columns again.
__device__ void read_fragments(float (&a_fragment)[m_count][4], float (&b_fragment)[n_count][2],
                               const float* a, const float* b) {
#pragma unroll
  for (int i = 0; i < m_count; ++i) ldmatrix(a_fragment[i], a + i * mma_m * a_pitch);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float4 x = *reinterpret_cast<const float4*>(b + half * 4 * b_pitch);
    b_fragment[0][half] = x.x;
    b_fragment[1][half] = x.y;
    b_fragment[2][half] = x.z;
    b_fragment[3][half] = x.w;
  }
}

// Adds a b to the sums, for 16 x 8 numbers of a and all 8 x 32 of the warp's b.
__device__ void multiply_add(float (&sums)[n_count][4], const float (&a)[4], const float (&b)[n_count][2]) {
#pragma unroll
  for (int j = 0; j < n_count; ++j) mma_sync(sums[j], a, b[j]);
}

// Stores four neighbours in a row of C, which begin at this column.
__device__ void store_vector(float* C, const float (&values)[4], int row, int column, int n) {
  float* const to = C + static_cast<long long>(row) * n + column;
  if (n % 4 == 0) {
    if (column < n) *reinterpret_cast<float4*>(to) = make_float4(values[0], values[1], values[2], values[3]);
  } else {
    for (int j = 0; j < 4; ++j)
      if (column + j < n) to[j] = values[j];
  }
}

// Expects blocks of 256 threads and 3 * stage_size * 4 = 107 520 bytes of shared memory.
// Tensor cores truncate sums where float32 would round: over thousands of terms that adds up, to 25 times the
// error of float32. So the sums of each stage start at zero, and are added in float32, rounded,
// to those before, as Ootomo and Yokota do.
__global__ void __launch_bounds__(256)
    matmul_tensor_cores(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                        int m, int n, int k) {
  extern __shared__ __align__(16) float stages[];
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32, group = lane / 4, t = lane % 4;
  const int warp_row = warp / 4 * warp_rows, warp_column = warp % 4 * warp_columns;
  const int first_row = blockIdx.y * tile, first_column = blockIdx.x * tile;
  const bool aligned = k % 4 == 0 && n % 4 == 0;
  const int iterations = (k + depth - 1) / depth;

  // A thread copies 4 floats in each of 4 rows of A and of B.
  constexpr int a_row_stride = 32, b_row_stride = 8;  // from one row to the next
  const int a_row = thread / 8, a_column = thread % 8 * 4, b_row = thread / 32, b_column = thread % 32 * 4;
  const float* a_from = A + static_cast<long long>(first_row + a_row) * k + a_column;
  const float* b_from = B + static_cast<long long>(b_row) * n + first_column + b_column;
  const long long a_stride = static_cast<long long>(a_row_stride) * k,
                  b_stride = static_cast<long long>(b_row_stride) * n;
  float* const a_to = stages + a_row * a_pitch + a_column;
  float* const b_to = stages + tile * a_pitch + b_row * b_pitch + b_column;
  int stages_copied = 0;
  auto copy_next_to = [&](int stage) {
    const int first = stages_copied * depth;
    copy_rows(a_to + stage * stage_size, a_row_stride * a_pitch, a_from, a_stride, first_row + a_row,
              a_row_stride, m, k - first - a_column, aligned);
    copy_rows(b_to + stage * stage_size, b_row_stride * b_pitch, b_from, b_stride, first + b_row,
              b_row_stride, k, n - first_column - b_column, aligned);
    a_from += depth;
    b_from += static_cast<long long>(depth) * n;
    ++stages_copied;
    cp_async_commit_group();
  };

  float sums[m_count][n_count][4] = {};
  copy_next_to(0);
  copy_next_to(1);
  int stage = 0, free_stage = 2;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    cp_async_wait_group<1>();
    __syncthreads();  // all threads' copies of this stage are there, and the stage before is free
    const float* const a = stages + stage * stage_size + (warp_row + lane % 16) * a_pitch + lane / 16 * 4;
    const float* const b =
        stages + stage * stage_size + tile * a_pitch + t * b_pitch + warp_column + 4 * group;
    float stage_sums[m_count][n_count][4] = {};
    float a_fragment[2][m_count][4], b_fragment[2][n_count][2];  // double buffered: of this step and the next
    read_fragments(a_fragment[0], b_fragment[0], a, b);
    copy_next_to(free_stage);
#pragma unroll
    for (int step = 0; step < k_count; ++step) {
      const int now = step % 2, next = (step + 1) % 2;
      if (step < k_count - 1)
        read_fragments(a_fragment[next], b_fragment[next], a + (step + 1) * mma_k,
                       b + (step + 1) * mma_k * b_pitch);
      float b_high[n_count][2], b_low[n_count][2];
#pragma unroll
      for (int j = 0; j < n_count; ++j) split(b_fragment[now][j], b_high[j], b_low[j]);
#pragma unroll
      for (int i = 0; i < m_count; ++i) {
        float a_high[4], a_low[4];
        split(a_fragment[now][i], a_high, a_low);
        multiply_add(stage_sums[i], a_low, b_high);  // the small products first
        multiply_add(stage_sums[i], a_high, b_low);
        multiply_add(stage_sums[i], a_high, b_high);
      }
    }
    stage = stage == 2 ? 0 : stage + 1;
    free_stage = free_stage == 2 ? 0 : free_stage + 1;
#pragma unroll
    for (int i = 0; i < m_count; ++i)
#pragma unroll
      for (int j = 0; j < n_count; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) sums[i][j][e] += stage_sums[i][j][e];
  }

#pragma unroll
  for (int i = 0; i < m_count; ++i)
#pragma unroll
    for (int lower = 0; lower < 2; ++lower) {
      const int row = first_row + warp_row + i * mma_m + lower * 8 + group;
#pragma unroll
      for (int right = 0; right < 2; ++right) {
        const int column = first_column + warp_column + 8 * t + 4 * right;
        float values[4];
        for (int j = 0; j < 4; ++j) values[j] = sums[i][j][lower * 2 + right];
        if (row < m) store_vector(C, values, row, column, n);
      }
    }
}
