// C = A B, where A is m x k, B is k x n and C is m x n, all row-major
//
// After matmul_tensor_cores. New: instructions of a whole warpgroup, and warps that only copy. Next: matmul_half.cu.
//
// 3xTF32 on tensor cores (error-compensated; Ootomo and Yokota 2022), as in matmul_tensor_cores: each float32
// is split into high, a TF32 number of 11 significant bits, and low, which the tensor core truncates to one, and
//
//   a b = high_a high_b + high_a low_b + low_a high_b   (left out: low_a low_b, less than 2^-22 of a b)
//
// A Hopper GPU reaches the full speed of its tensor cores only with wgmma: asynchronous instructions of a
// warpgroup (four warps). Each instruction makes 64 x 128 x 8 = 65 536 products. It reads b from shared memory, where
// each column of b must be contiguous. The rows of A are contiguous, so the kernel computes the transposed
// product: a is B transposed, from registers, and b is A transposed. Needs compute capability 9.0, compiled
// for sm_90a.
//
// Splitting numbers takes many instructions, and the tensor cores would wait for a thread that does both. So the
// work is divided (warp specialisation): of three warpgroups, a producer prepares A ahead of time, while two
// consumers multiply. Together they compute 128 x 128 elements of C (BM x BN):
//
//   producer      A  from global memory to registers, split there, and stored to a stage in shared memory
//   consumer 0    B  its columns 0 to 63 to shared memory by cp.async, split in registers; multiplies
//   consumer 1    B  its columns 64 to 127 likewise
//
// A stage is 32 columns of A or 32 rows of B (BK). There are four of A and four of B: the producer is up to four stages
// ahead. A consumer prepares its next B while the tensor cores multiply. A warp needs no columns of B but its
// own, so only A needs barriers: `full` and `empty` for each stage. Bulk copies (TMA) do not help: they copy bytes
// as they are, and A has to be split on its way.

constexpr int tile = 128;                        // rows (BM) and columns (BN) of C for each block
constexpr int depth = 32;                        // columns of A and rows of B in a stage (BK)
constexpr int part_size = tile * depth;          // floats: the high parts of a stage of A, or the low parts
constexpr int stage_size = 2 * part_size;        // the high parts, and then the low parts
constexpr int b_stage_size = tile * depth;       // floats
constexpr int stages = 4;                        // of A, and of B
constexpr int prefetch_distance = 4;             // stages
constexpr int mma_k = 8;                         // columns of a and rows of b for one instruction
constexpr int steps = depth / mma_k;             // wgmma for one product of a stage
constexpr int sums_per_thread = 64;              // 64 x 128 sums for the 128 threads of a warpgroup
constexpr int warp_columns = 16;                 // of C, and so of B, for a warp of a consumer
constexpr int producers = 128, consumers = 256;  // threads
constexpr int producer_registers = 72;           // of a thread; three warpgroups share 3 * 168 = 72 + 2 * 216
constexpr int consumer_registers = 216;          // 128 of them for sums, 64 for parts of B
constexpr int group_height = 8;                  // block tiles

using Barrier = unsigned long long;  // an mbarrier: threads wait until a number of others have arrived

// Rounds to 11 significant bits: adds half a unit in the last place, and truncates the 13 bits below it.
__device__ float high_part(float x) {
  return __uint_as_float((__float_as_uint(x) + 0x1000) & 0xffffe000);
}

// Splits a number into high and low part.
__device__ void split(float x, float& high, float& low) {
  high = high_part(x);
  low = x - high;
}

// Splits four numbers.
__device__ void split(const float4& x, float4& high, float4& low) {
  split(x.x, high.x, low.x);
  split(x.y, high.y, low.y);
  split(x.z, high.z, low.z);
  split(x.w, high.w, low.w);
}

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// Returns a matrix descriptor: where b starts in shared memory, and how it lies there. Its 128 rows of 32 floats are
// those of A. The 16-byte pieces of a row are permuted (128-byte swizzle): piece p of row r is at p ^ (r % 8), so that
// piece p of eight rows is in different banks. Eight rows are 1024 bytes, and b starts at a multiple of 1024.
// Addresses and distances are in units of 16 bytes; with a swizzle, one of the two distances is unused.
__device__ unsigned long long descriptor(const float* b) {
  constexpr unsigned long long unused = 1, eight_rows = 1024 / 16, swizzle_128_bytes = 1;
  return static_cast<unsigned long long>((shared_address(b) & 0x3ffff) >> 4) | unused << 16 |
         eight_rows << 32 | swizzle_128_bytes << 62;
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

// Waits until at most `pending` groups are in flight. The other groups have then written their c, and their a and b
// may be overwritten.
template <int pending>
__device__ void wgmma_wait_group() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

// Makes what this thread has stored to shared memory visible to the tensor cores (the async proxy).
__device__ void fence_proxy_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Sets how many threads have to arrive.
__device__ void mbarrier_init(Barrier& barrier, int arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(arrivals)
               : "memory");
}

__device__ void mbarrier_arrive(Barrier& barrier) {
  asm volatile("{.reg .b64 state; mbarrier.arrive.shared.b64 state, [%0];}" ::"r"(shared_address(&barrier))
               : "memory");
}

// Waits until all have arrived. The parity is 0 for the first time, and then 1 and 0 in turn.
__device__ void mbarrier_wait(Barrier& barrier, unsigned parity) {
  asm volatile(
      "{.reg .pred done;\n"
      "again_%=: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
      "@!done bra again_%=;}" ::"r"(shared_address(&barrier)),
      "r"(parity)
      : "memory");
}

// Starts an asynchronous copy of 16 bytes to shared memory.
__device__ void cp_async(unsigned to, const float* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

// Starts an asynchronous copy of one float. Out of bounds it writes zero.
__device__ void cp_async(unsigned to, const float* from, bool in_bounds) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(in_bounds ? 4 : 0)
               : "memory");
}

// Groups the thread's copies since the last commit.
__device__ void cp_async_commit_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most `pending` groups are still under way.
template <int pending>
__device__ void cp_async_wait_group() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

// Fetches a cache line from global memory to the L2 cache.
__device__ void prefetch_to_l2(const float* from) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
}

// Keeps the compiler from moving the computation of x, or uses of x, past this point.
__device__ void compiler_barrier(float& x) {
  asm volatile("" : "+f"(x)::"memory");
}

// Loads four neighbours in a row of M, with zeros out of bounds.
__device__ float4 load_or_zero(const float* M, int row, int column, int rows, int columns) {
  const float* from = M + row * columns + column;
  const int count = row < rows ? columns - column : 0;
  return make_float4(count > 0 ? from[0] : 0, count > 1 ? from[1] : 0, count > 2 ? from[2] : 0,
                     count > 3 ? from[3] : 0);
}

// Starts the three products of a stage, the small ones first. b is A transposed (see the top). Without
// `accumulate` the sums start at zero.
__device__ void start_products(float (&sums)[sums_per_thread], const float (&a_high)[steps][4],
                               const float (&a_low)[steps][4], const float* stage, bool accumulate) {
  constexpr int step_of_b = mma_k * 4 / 16;  // a step's columns of A are 32 bytes further, in units of 16
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

// Finds the block's tile of C in grouped order (threadblock swizzle): tiles go down group_height rows, then across.
// Then more of what blocks load at the same time is in the L2 cache.
__device__ void find_tile(int& first_row, int& first_column) {
  const int block = blockIdx.y * gridDim.x + blockIdx.x, group_size = group_height * gridDim.x;
  const int group_row = block / group_size * group_height;
  const int height = min(group_height, static_cast<int>(gridDim.y) - group_row);
  first_row = (group_row + block % group_size % height) * tile;
  first_column = block % group_size / height * tile;
}

// Splits A from row first_row on, and stores it to stages. A thread loads the next stage to registers while
// it waits. All blocks come to the same columns of A at about the same time, and would all wait for global
// memory. So the producer also prefetches these columns to the L2 cache, four stages ahead.
__device__ void produce(const float* __restrict__ A, float* a_stages, Barrier* full, Barrier* empty,
                        int first_row, int m, int k) {
  const int thread = threadIdx.x % producers, piece = thread % 8, row = thread / 8;
  const int swizzled = row * depth + (piece ^ row % 8) * 4;
  const bool aligned = k % 4 == 0;
  const int iterations = (k + depth - 1) / depth;
  float4 next[8];  // registers of the prefetch: the piece in row `row` and in every 16th row below
  auto load = [&](int first) {
    int pitch = k;
    asm volatile("" : "+r"(pitch));  // or the compiler would keep the addresses of all rows in registers
    if (aligned && first + depth <= k) {
      // Rows outside of C are computed from the last one inside, and not stored.
#pragma unroll
      for (int i = 0; i < 8; ++i)
        next[i] = *reinterpret_cast<const float4*>(
            A + (min(first_row + row + 16 * i, m - 1) * pitch + first + 4 * piece));
    } else {
#pragma unroll
      for (int i = 0; i < 8; ++i)
        next[i] = load_or_zero(A, first_row + row + 16 * i, first + 4 * piece, m, pitch);
    }
  };
  load(0);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    const int stage = iteration % stages;
    if (iteration >= stages) mbarrier_wait(empty[stage], (iteration / stages - 1) % 2);
    float* const to = a_stages + stage * stage_size + swizzled;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      float4 high, low;
      split(next[i], high, low);
      *reinterpret_cast<float4*>(to + i * 16 * depth) = high;
      *reinterpret_cast<float4*>(to + i * 16 * depth + part_size) = low;
    }
    load((iteration + 1) * depth);
    prefetch_to_l2(
        A + (min(first_row + thread, m - 1) * k + min((iteration + prefetch_distance) * depth, k - 1)));
    fence_proxy_async();
    mbarrier_arrive(full[stage]);
  }
}

// Computes 64 columns of the block tile that begins at (first_row, first_column) of C, and stores them. A
// warp copies its own columns of B to shared memory, four stages ahead, and no other warp reads them.
__device__ void consume(const float* __restrict__ B, float* __restrict__ C, const float* a_stages,
                        float* b_stages, Barrier* full, Barrier* empty, int first_row, int first_column,
                        int m, int n, int k) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, group = lane / 4, t = lane % 4;
  const int warpgroup =
      __shfl_sync(~0u, threadIdx.x / 128, 0);  // tells the compiler that it is uniform in a warp
  const int iterations = (k + depth - 1) / depth;
  const bool aligned = n % 4 == 0;
  // Swizzle: piece p of 16 bytes in a row is at p ^ (row & 2), so that a warp reads from different banks.
  float* const warp_b = b_stages + warp * warp_columns * depth;
  const int copy_row = lane / 4, copy_column = first_column + warp * warp_columns + lane % 4 * 4;
  const unsigned copy_to = shared_address(warp_b + copy_row * warp_columns + (lane % 4 ^ (copy_row & 2)) * 4);
  // Columns beyond n repeat the last ones; their sums are not stored.
  const int copy_from = copy_row * n + min(copy_column, n - 4);
  auto copy_b = [&](int first, int stage) {
    if (aligned && first + depth <= k) {
#pragma unroll
      for (int i = 0; i < 4; ++i)
        cp_async(copy_to + (stage * b_stage_size + i * 8 * warp_columns) * 4,
                 B + (copy_from + (first + 8 * i) * n));
    } else {
#pragma unroll 1
      for (int i = 0; i < 16; ++i) {
        const int row = first + copy_row + i / 4 * 8, column = copy_column + i % 4;
        const bool inside = row < k && column < n;
        cp_async(copy_to + (stage * b_stage_size + i / 4 * 8 * warp_columns + i % 4) * 4,
                 B + (inside ? row * n + column : 0), inside);
      }
    }
    cp_async_commit_group();
  };

  // The rows of a may have any order. With columns 2 * group and 2 * group + 1 of B as rows group and group + 8 of a, a
  // thread reads two neighbours of B, and stores two neighbours of C.
  float b_high[2][steps][4], b_low[2][steps][4];  // of the stage that is multiplied, and of the next one
  auto split_b = [&](float(&high)[steps][4], float(&low)[steps][4], int stage) {
    cp_async_wait_group<stages - 1>();
    __syncwarp();
    const float* const from =
        warp_b + stage * b_stage_size + t * warp_columns + (group / 2 ^ (t & 2)) * 4 + group % 2 * 2;
#pragma unroll
    for (int i = 0; i < 2 * steps; ++i) {
      const float2 x = *reinterpret_cast<const float2*>(from + i * 4 * warp_columns);
      split(x.x, high[i / 2][i % 2 * 2], low[i / 2][i % 2 * 2]);
      split(x.y, high[i / 2][i % 2 * 2 + 1], low[i / 2][i % 2 * 2 + 1]);
    }
#pragma unroll
    for (int i = 0; i < 4 * steps; ++i) {
      compiler_barrier(high[i / 4][i % 4]);
      compiler_barrier(low[i / 4][i % 4]);
    }
    __syncwarp();
  };
#pragma unroll 1
  for (int stage = 0; stage < stages; ++stage) copy_b(stage * depth, stage);
  split_b(b_high[0], b_low[0], 0);
  copy_b(stages * depth, 0);

  // Tensor cores truncate where float32 would round. So their sums start at zero in every second iteration,
  // and are added up in float32. The two consumers do so in alternate iterations: one keeps the tensor cores
  // busy while the other adds (ping-pong scheduling of the additions).
  float sums[sums_per_thread] = {}, stage_sums[sums_per_thread];
  auto add_up = [&]() {
#pragma unroll
    for (int i = 0; i < sums_per_thread; ++i) compiler_barrier(stage_sums[i]);  // used after the wait only
#pragma unroll
    for (int i = 0; i < sums_per_thread; ++i) sums[i] += stage_sums[i];
  };
  bool accumulate = false;
  auto multiply = [&](int iteration, int now) {
    const int stage = iteration % stages, next_stage = (iteration + 1) % stages;
    mbarrier_wait(full[stage], iteration / stages % 2);
    start_products(stage_sums, b_high[now], b_low[now], a_stages + stage * stage_size, accumulate);
    accumulate = true;
    wgmma_wait_group<1>();  // the iteration before is done
    if (lane == 0 && iteration > 0) mbarrier_arrive(empty[(iteration - 1) % stages]);
    split_b(b_high[1 - now], b_low[1 - now], next_stage);
    copy_b((iteration + 1 + stages) * depth, next_stage);
    if (iteration % 2 == warpgroup) {
      wgmma_wait_group<0>();
      add_up();
      accumulate = false;
    }
  };
  for (int iteration = 0; iteration < iterations; iteration += 2) {
    multiply(iteration, 0);
    if (iteration + 1 < iterations) multiply(iteration + 1, 1);
  }
  cp_async_wait_group<0>();
  wgmma_wait_group<0>();
  if (accumulate) add_up();

#pragma unroll
  for (int j = 0; j < tile / 8; ++j)
#pragma unroll
    for (int lower = 0; lower < 2; ++lower) {
      const int row = first_row + 8 * j + 2 * t + lower, i = 4 * j + lower;
      if (row < m) store_two(C, sums[i], sums[i + 2], row, first_column + warp * warp_columns + 2 * group, n);
    }
}

// Expects blocks of 384 threads and stages * (stage_size + b_stage_size) * 4 = 196 608 bytes of shared
// memory.
__global__ void __launch_bounds__(consumers + producers, 1)
    matmul_warpgroups(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int m,
                      int n, int k) {
  extern __shared__ __align__(1024) float all_stages[];
  __shared__ Barrier full[stages], empty[stages];
  if (threadIdx.x < stages) {
    mbarrier_init(full[threadIdx.x], producers);
    mbarrier_init(empty[threadIdx.x], consumers / 32);  // one thread of each warp
  }
  __syncthreads();
  int first_row, first_column;
  find_tile(first_row, first_column);
  if (threadIdx.x >= consumers) {  // registers that the producer does not need go to the consumers
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(producer_registers));
    produce(A, all_stages, full, empty, first_row, m, k);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(consumer_registers));
    consume(B, C, all_stages, all_stages + stages * stage_size, full, empty, first_row, first_column, m, n, k);
  }
}

// Runs the same instructions and nothing else: the ceiling of the kernel above. Each warpgroup multiplies what is in
// its registers by what is in shared memory, `rounds` times, as for a stage. Each round adds to the sums of the round
// before: if it began again at zero, the compiler would remove the rounds whose sums nobody reads. A thread stores its
// sum only if that is not a number, and the compiler cannot know that this never happens. Expects blocks of 256
// threads.
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
    wgmma_wait_group<0>();
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < sums_per_thread; ++i) sum += sums[i];
  if (sum != sum) *sink = sum;
}
