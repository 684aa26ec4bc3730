// C = A B, where A is m x k, B is k x n and C is m x n, all row-major
//
// 3xTF32 on tensor cores (error-compensated; Ootomo and Yokota 2022), as in matmul_tensor_cores: each float32
// is split into two TF32 numbers of 11 significant bits, high + low, and
//
//   a b = high_a high_b + high_a low_b + low_a high_b   (left out: low_a low_b, less than 2^-22 of a b)
//
// A Hopper GPU reaches the full speed of its tensor cores only with wgmma: asynchronous instructions of a
// warpgroup, four warps, which make 64 x 128 x 8 = 65 536 products each. They read b from shared memory, and
// here a from registers. Needs compute capability 9.0, compiled for sm_90a.
//
//   block tile 128 x 128 (BM x BN)    Both warpgroups load, and both multiply:
//   +--------------------------+        A  from global memory to registers, split there: 64 x 32 for each
//   |  warpgroup 0: 64 x 128   |           warpgroup, 16 x 32 for each of its warps
//   +--------------------------+        B  from global memory to registers, split and transposed there, and
//   |  warpgroup 1: 64 x 128   |           stored to a stage in shared memory: half of it by each warpgroup
//   +--------------------------+
//
// A stage is 32 rows of B (BK), high parts and low parts. There are three. No TMA.
//
// Ping-pong schedule, as that of FlashAttention-3: the warpgroups take turns at a named barrier. While the
// tensor cores work for one, the other adds up its sums and prepares its next operands. CUTLASS's ping-pong
// differs: it has warp specialisation and a tile for each warpgroup. Here there is no producer, and both
// warpgroups share a tile.
//
//   turn            0                  1                  2                  3
//   warpgroup 0     start products 0   prepare 1          start products 1   prepare 2          ...
//   warpgroup 1     prepare 0          start products 0   prepare 1          start products 1   ...
//   tensor cores    0 of warpgroup 0   | 0 of warpgroup 1 | 1 of warpgroup 0 | 1 of warpgroup 1 | ...
//
// To prepare stage i, a warpgroup stores half of a stage of B (warpgroup 0 of stage i, warpgroup 1 of stage
// i + 1), waits for its products of stage i - 1, splits A, and adds the products to its sums.

constexpr int block_tile = 128;                // rows (BM) and columns (BN) of C for each block
constexpr int depth = 32;                      // columns of A and rows of B in a stage (BK)
constexpr int part_size = block_tile * depth;  // floats: the high parts of a stage of B, or the low parts
constexpr int stage_size = 2 * part_size;      // the high parts, and then the low parts
constexpr int mma_k = 8;                       // columns of a and rows of b for one instruction
constexpr int steps = depth / mma_k;           // wgmma for one product of a stage
constexpr int sums_per_thread = 64;            // 64 x 128 sums for the 128 threads of a warpgroup
constexpr int swizzle_height = 8;              // block tiles

// Rounds to 11 significant bits: adds half a unit in the last place, and truncates the 13 bits below it.
__device__ float high_part(float x) {
  return __uint_as_float((__float_as_uint(x) + 0x1000) & 0xffffe000);
}

// Returns a matrix descriptor: where b starts in shared memory, and how it lies there.
// It has 128 rows, one for each column of B, of 32 floats. The 16-byte pieces of a row are permuted (128-byte
// swizzle): piece p of row r is at p ^ (r % 8), so that piece p of eight rows is in different banks. Eight
// rows are 1024 bytes, and b starts at a multiple of them. Addresses and distances are in units of 16 bytes.
__device__ unsigned long long descriptor(const float* b) {
  constexpr unsigned long long unused = 1, eight_rows = 1024 / 16, swizzle_128_bytes = 1;
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(b));
  return static_cast<unsigned long long>((address & 0x3ffff) >> 4) | unused << 16 | eight_rows << 32 |
         swizzle_128_bytes << 62;
}

// Starts c += a b, or c = a b if it does not accumulate, for 64 x 8 numbers of a and 8 x 128 of b.
// Each warp has 16 rows of a. With group = lane / 4 and t = lane % 4, a thread holds a in rows group and
// group + 8, columns t and t + 4; and c in the same rows, columns 2 t and 2 t + 1 of every eight.
__device__ void wgmma_m64n128k8(float (&c)[sums_per_thread], const float (&a)[4], unsigned long long b,
                                int accumulate) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, %69, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {"
      "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
      "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"
      "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"
      "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
      "}, {%64,%65,%66,%67}, %68, p, 1, 1;}\n"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]),
        "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]),
        "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]),
        "+f"(c[23]), "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]),
        "+f"(c[30]), "+f"(c[31]), "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]), "+f"(c[36]),
        "+f"(c[37]), "+f"(c[38]), "+f"(c[39]), "+f"(c[40]), "+f"(c[41]), "+f"(c[42]), "+f"(c[43]),
        "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]), "+f"(c[48]), "+f"(c[49]), "+f"(c[50]),
        "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]), "+f"(c[56]), "+f"(c[57]),
        "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
        "r"(__float_as_uint(a[3])), "l"(b), "r"(accumulate));
}

// Makes what this thread has written to registers visible to the wgmma that follow.
__device__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

// Groups all wgmma since the last commit.
__device__ void wgmma_commit_group() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits until all groups are done: then c is there, and a and b may be overwritten.
__device__ void wgmma_wait_group_0() {
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// Makes what this thread has stored to shared memory visible to the tensor cores (the async proxy).
__device__ void fence_proxy_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Waits for the other warpgroup at named barrier 1. The two may wait in different calls of this function.
__device__ void barrier_sync() {
  asm volatile("barrier.sync 1, 256;" ::: "memory");
}

// Keeps the compiler from moving the computation of x down, between multiplications.
__device__ void compute_now(float& x) {
  asm volatile("" : "+f"(x)::"memory");
}

// Loads four neighbours in a row of M, with zeros out of bounds.
__device__ float4 load_or_zero(const float* M, int row, int column, int rows, int columns) {
  const float* from = M + row * columns + column;
  const int count = row < rows ? columns - column : 0;
  return make_float4(count > 0 ? from[0] : 0, count > 1 ? from[1] : 0, count > 2 ? from[2] : 0,
                     count > 3 ? from[3] : 0);
}

// Returns the i-th element of a vector.
__device__ float element(const float4& x, int i) {
  return i == 0 ? x.x : i == 1 ? x.y : i == 2 ? x.z : x.w;
}

// Splits the four elements of A for each step.
// As the order of a sum is free, a thread multiplies those columns of A that it can load four at a time, and
// B is stored in that order.
__device__ void split_a(float (&a_high)[steps][4], float (&a_low)[steps][4], const float4 (&loaded)[4]) {
#pragma unroll
  for (int step = 0; step < steps; ++step)
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      a_high[step][i] = high_part(element(loaded[i], step));
      a_low[step][i] = element(loaded[i], step) - a_high[step][i];
    }
}

// Splits 4 x 4 elements of B and stores them, transposed and swizzled, to a stage.
__device__ void store_b(float* stage, const int (&swizzled)[4], const float4 (&loaded)[4]) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float4 x = {element(loaded[0], i), element(loaded[1], i), element(loaded[2], i),
                      element(loaded[3], i)};
    const float4 high = {high_part(x.x), high_part(x.y), high_part(x.z), high_part(x.w)};
    *reinterpret_cast<float4*>(stage + swizzled[i]) = high;
    *reinterpret_cast<float4*>(stage + swizzled[i] + part_size) = {x.x - high.x, x.y - high.y, x.z - high.z,
                                                                   x.w - high.w};
  }
}

// Starts the three products of a stage, the small ones first. Without `accumulate` the sums start at zero.
__device__ void start_products(float (&sums)[sums_per_thread], const float (&a_high)[steps][4],
                               const float (&a_low)[steps][4], const float* stage, bool accumulate) {
  constexpr int step_of_b = mma_k * 4 / 16;  // a step's rows of B are 32 bytes further, in units of 16
  const unsigned long long b_high = descriptor(stage), b_low = b_high + part_size * 4 / 16;
  wgmma_fence();
#pragma unroll
  for (int step = 0; step < steps; ++step)
    wgmma_m64n128k8(sums, a_low[step], b_high + step_of_b * step, accumulate || step > 0);
#pragma unroll
  for (int step = 0; step < steps; ++step) wgmma_m64n128k8(sums, a_high[step], b_low + step_of_b * step, 1);
#pragma unroll
  for (int step = 0; step < steps; ++step) wgmma_m64n128k8(sums, a_high[step], b_high + step_of_b * step, 1);
  wgmma_commit_group();
}

// Stores two neighbours in a row of C.
__device__ void store_two(float* C, float left, float right, int row, int column, int n) {
  float* const to = C + row * n + column;
  if (n % 2 == 0 && column < n) {
    *reinterpret_cast<float2*>(to) = make_float2(left, right);
  } else {
    if (column < n) to[0] = left;
    if (column + 1 < n) to[1] = right;
  }
}

// Stores the sums of a thread, the first one at (row, column) of C.
__device__ void store_sums(const float (&sums)[sums_per_thread], float* C, int row, int column, int m,
                           int n) {
#pragma unroll
  for (int j = 0; j < block_tile / 8; ++j)
#pragma unroll
    for (int lower = 0; lower < 2; ++lower) {
      const int i = j * 4 + lower * 2;
      if (row + lower * 8 < m) store_two(C, sums[i], sums[i + 1], row + lower * 8, column + j * 8, n);
    }
}

// Finds the block's tile of C by threadblock swizzle: tiles go down swizzle_height rows, then across.
// Then more of what blocks load at the same time is in the L2 cache.
__device__ void find_tile(int& first_row, int& first_column) {
  const int block = blockIdx.y * gridDim.x + blockIdx.x, group_size = swizzle_height * gridDim.x;
  const int group_row = block / group_size * swizzle_height;
  const int height = min(swizzle_height, static_cast<int>(gridDim.y) - group_row);
  first_row = (group_row + block % group_size % height) * block_tile;
  first_column = block % group_size / height * block_tile;
}

// Expects blocks of 256 threads and 3 * stage_size * 4 = 98 304 bytes of shared memory.
// As in matmul_tensor_cores, the sums of each stage start at zero and are added in float32, rounded.
__global__ void __launch_bounds__(256, 1)
    matmul_warpgroups(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int m,
                      int n, int k) {
  extern __shared__ __align__(1024) float stages[];
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32, group = lane / 4, t = lane % 4;
  const int warpgroup = __shfl_sync(~0u, thread / 128, 0);  // tells the compiler that it is uniform in a warp

  int first_row, first_column;
  find_tile(first_row, first_column);
  const bool aligned = k % 4 == 0 && n % 4 == 0;
  const int iterations = (k + depth - 1) / depth;
  // Rows and columns outside of C are computed from the last ones inside, and not stored.
  const int a_row = first_row + warp * 16 + group;
  const int a_first = min(a_row, m - 1) * k + 4 * t, a_second = min(a_row + 8, m - 1) * k + 4 * t;
  // A thread prepares piece `piece` of 4 columns of B: rows b_row, b_row + 4, b_row + 8 and b_row + 12.
  const int piece = lane % 4 + warp / 4 * 4, b_column = (lane / 4 + warp % 4 * 8) * 4;
  const int b_row = piece % 2 * 16 + piece / 2;
  const int b_first = b_row * n + min(first_column + b_column, n - 4);
  float sums[sums_per_thread] = {}, stage_sums[sums_per_thread];
  float4 a_next[4], b_next[4];  // registers of the prefetch
  float a_high[steps][4], a_low[steps][4];
  // Prefetches of the thread's part of a stage: the columns of A, or the rows of B, from `first` on.
  auto load_a = [&](int first) {
    if (aligned && first + depth <= k) {
      a_next[0] = *reinterpret_cast<const float4*>(A + a_first + first);
      a_next[1] = *reinterpret_cast<const float4*>(A + a_second + first);
      a_next[2] = *reinterpret_cast<const float4*>(A + a_first + first + 16);
      a_next[3] = *reinterpret_cast<const float4*>(A + a_second + first + 16);
    } else {
#pragma unroll
      for (int i = 0; i < 4; ++i)
        a_next[i] = load_or_zero(A, a_row + i % 2 * 8, first + i / 2 * 16 + 4 * t, m, k);
    }
  };
  auto load_b = [&](int first) {
    if (aligned && first + depth <= k) {
#pragma unroll
      for (int i = 0; i < 4; ++i)
        b_next[i] = *reinterpret_cast<const float4*>(B + (b_first + (first + 4 * i) * n));
    } else {
#pragma unroll
      for (int i = 0; i < 4; ++i)
        b_next[i] = load_or_zero(B, first + b_row + 4 * i, first_column + b_column, k, n);
    }
  };

  int swizzled[4];  // offsets of the 4 columns in a stage
#pragma unroll
  for (int i = 0; i < 4; ++i) swizzled[i] = (b_column + i) * depth + (piece ^ (b_column + i) % 8) * 4;

  load_a(0);
  load_b(0);
  split_a(a_high, a_low, a_next);
  load_a(depth);
  store_b(stages, swizzled, b_next);
  load_b(depth);
  int read_stage = 0, write_stage = 1, b_next_row = 2 * depth;
  fence_proxy_async();
  __syncthreads();
  if (warpgroup == 1) {  // warpgroup 0 has the first turn; this one is a stage of B ahead from now on
    store_b(stages + stage_size, swizzled, b_next);
    load_b(2 * depth);
    write_stage = 2;
    b_next_row = 3 * depth;
    fence_proxy_async();
    barrier_sync();
  }
  for (int iteration = 0; iteration < iterations; ++iteration) {
    start_products(stage_sums, a_high, a_low, stages + read_stage * stage_size, false);
    barrier_sync();  // the turn of the other warpgroup to start its products
    store_b(stages + write_stage * stage_size, swizzled, b_next);
    fence_proxy_async();
    load_b(b_next_row);
    wgmma_wait_group_0();
    split_a(a_high, a_low, a_next);
    load_a((iteration + 2) * depth);
#pragma unroll
    for (int i = 0; i < sums_per_thread; ++i) sums[i] += stage_sums[i];
#pragma unroll
    for (int i = 0; i < 4 * steps; ++i) {
      compute_now(a_high[i / 4][i % 4]);
      compute_now(a_low[i / 4][i % 4]);
    }
    read_stage = read_stage == 2 ? 0 : read_stage + 1;
    write_stage = write_stage == 2 ? 0 : write_stage + 1;
    b_next_row += depth;
    barrier_sync();  // this warpgroup's turn
  }
  if (warpgroup == 0) barrier_sync();  // warpgroup 1 waits once more

  store_sums(sums, C, a_row, first_column + 2 * t, m, n);
}

// Runs the same instructions and nothing else: the ceiling of the kernel above.
// Each warpgroup multiplies what is in its registers by what is in shared memory, `rounds` times, as for a
// stage. Each round adds to the sums of the one before: if it began again at zero, the compiler would remove
// the rounds whose sums nobody reads. It stores a sum only if it is not a number, and the
// compiler cannot know that this never happens. Expects blocks of 256 threads.
__global__ void __launch_bounds__(256) multiply_add_warpgroups(float* sink, int rounds) {
  __shared__ __align__(1024) float stage[stage_size];
  const auto some_number = [](unsigned i) { return high_part((i * 2654435761u >> 8) * 0x1p-24f - 0.5f); };
  for (int i = threadIdx.x; i < stage_size; i += blockDim.x) stage[i] = some_number(i);
  float a_high[steps][4], a_low[steps][4], sums[sums_per_thread] = {};
#pragma unroll
  for (int i = 0; i < 4 * steps; ++i) {
    a_high[i / 4][i % 4] = some_number(threadIdx.x * 32 + i);
    a_low[i / 4][i % 4] = some_number(threadIdx.x * 32 + i + 16);
  }
  fence_proxy_async();
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    start_products(sums, a_high, a_low, stage, true);
    wgmma_wait_group_0();
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < sums_per_thread; ++i) sum += sums[i];
  if (sum != sum) *sink = sum;
}
