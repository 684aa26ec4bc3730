// C = A B, where A is m x k, B is k x n and C is m x n, all row-major
//
// As matmul_tensor_cores: each float32 is split into two TF32 numbers of 11 significant bits, high + low, and
//
//   a b = high_a high_b + high_a low_b + low_a high_b + (low_a low_b, less than 2^-22 of the product: left out)
//
// A Hopper GPU reaches the full speed of its tensor cores only with wgmma: instructions that a warpgroup, four
// warps, issues together and does not wait for. They read their second operand from shared memory, where its columns
// must lie one after another. The rows of A lie so: the kernel computes the transposed product, with B transposed as
// the first operand, from registers, and A transposed as the second. Needs compute capability 9.0, compiled for sm_90a.
//
// The plan: a block computes a tile of 128 x 128 elements of C, and goes along k in stages of 32 columns of A and 32
// rows of B. It has three warpgroups. One is the producer: it splits A and stores both parts to shared memory, up to
// four stages ahead. The others are consumers, each of 64 columns of C: they split their columns of B, which nobody
// else needs, in registers, while the tensor cores multiply the stage before.

constexpr int tile = 128;                  // a block computes tile x tile elements of C
constexpr int depth = 32;                  // columns of A and rows of B in a stage
constexpr int part_size = tile * depth;    // floats: the high parts of a stage of A, or the low parts
constexpr int stage_size = 2 * part_size;  // the high parts, and then the low parts
constexpr int slots = 4;                   // stages of A, and stages of B, in shared memory
constexpr int mma_k = 8;                   // columns of a and rows of b for one instruction
constexpr int steps = depth / mma_k;       // instructions for one product of a stage
constexpr int sums_per_thread = 64;        // 64 x 128 sums for the 128 threads of a warpgroup
constexpr int b_size = tile * depth;       // floats: a stage of B
constexpr int warp_columns = 16;           // of C, and so of B, for a warp of a consumer
constexpr int consumers = 256, producers = 128;  // threads
constexpr int producer_registers = 72;     // of a thread; three warpgroups share 3 * 168 = 72 + 2 * 216
constexpr int consumer_registers = 216;    // 128 of them for sums, 64 for parts of B
constexpr int band_height = 8;             // in blocks, for blocks that run at the same time

using Barrier = unsigned long long;  // an mbarrier: threads wait until a number of others have arrived

// The nearest number with 11 significant bits: adds half of the last of them, and cuts off the 13 bits below.
__device__ float high_part(float x) {
  return __uint_as_float((__float_as_uint(x) + 0x1000) & 0xffffe000);
}

__device__ void split(float x, float& high, float& low) {
  high = high_part(x);
  low = x - high;
}

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// Tells the tensor cores where b starts in shared memory, and how it lies there: 128 rows, each of 32 floats of a row
// of A. The 16-byte pieces of a row are permuted ("128-byte swizzle"): piece p of row r is at place p ^ (r % 8),
// so that eight rows' piece p are in different banks. Eight rows are 1024 bytes, and b starts at a multiple of them.
// Addresses and distances are in units of 16 bytes.
__device__ unsigned long long descriptor(const float* b) {
  constexpr unsigned long long eight_rows = 1024 / 16, swizzle_128_bytes = 1;
  return static_cast<unsigned long long>((shared_address(b) & 0x3ffff) >> 4) | 1ull << 16 | eight_rows << 32 |
         swizzle_128_bytes << 62;
}

// Starts c += a b, or c = a b if c is not to be kept, for 64 x 8 numbers of a, 16 rows in each warp, and 8 x 128 of b.
// With group = lane / 4 and t = lane % 4, a thread holds a in rows group and group + 8, columns t and t + 4; and c in
// the same rows, columns 2 t and 2 t + 1 of every eight.
__device__ void wgmma_m64n128k8(float (&c)[sums_per_thread], const float (&a)[4], unsigned long long b, int keep) {
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
        "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
        "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]),
        "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]), "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]),
        "+f"(c[40]), "+f"(c[41]), "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]),
        "+f"(c[48]), "+f"(c[49]), "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]),
        "+f"(c[56]), "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
        "r"(__float_as_uint(a[3])), "l"(b), "r"(keep));
}

// Before the first wgmma: what this thread has written to registers so far is what the tensor cores will read.
__device__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

// After the last wgmma of a group.
__device__ void wgmma_commit_group() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits until at most `left` groups are not done: then c is there, and a and b may be overwritten.
template <int left>
__device__ void wgmma_wait_group() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(left) : "memory");
}

// The tensor cores read shared memory by another path, the async proxy: what this thread has stored becomes visible
// to them.
__device__ void fence_proxy_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ void barrier_init(Barrier& barrier, int arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(arrivals) : "memory");
}

__device__ void barrier_arrive(Barrier& barrier) {
  asm volatile("{.reg .b64 state; mbarrier.arrive.shared.b64 state, [%0];}" ::"r"(shared_address(&barrier))
               : "memory");
}

// Waits until all have arrived: with parity 0 for the first time, with 1 for the second, with 0 for the third ...
__device__ void barrier_wait(Barrier& barrier, unsigned parity) {
  asm volatile(
      "{.reg .pred done;\n"
      "again_%=: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
      "@!done bra again_%=;}" ::"r"(shared_address(&barrier)),
      "r"(parity)
      : "memory");
}

// Copies 16 bytes to shared memory. The thread does not wait.
__device__ void copy_four(unsigned to, const float* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

// Copies 4 bytes, or stores zero if they are not inside.
__device__ void copy_one(unsigned to, const float* from, bool inside) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(inside ? 4 : 0) : "memory");
}

// After the last copy of a stage.
__device__ void copy_commit_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most `left` of this thread's groups of copies are not done.
template <int left>
__device__ void copy_wait_group() {
  asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
}

// Does nothing, but here the compiler must have computed x. It must not do so later, between multiplications.
__device__ void compute_now(float& x) {
  asm volatile("" : "+f"(x)::"memory");
}

// Four neighbours in a row of M, and zeros where there are none.
__device__ float4 load_inside(const float* M, int row, int column, int rows, int columns) {
  const float* from = M + row * columns + column;
  const int count = row < rows ? columns - column : 0;
  return make_float4(count > 0 ? from[0] : 0, count > 1 ? from[1] : 0, count > 2 ? from[2] : 0,
                     count > 3 ? from[3] : 0);
}

// Starts the three products of a stage, the small ones first: a from registers, b, high and low parts, from shared
// memory. The sums start at zero, if they are not to be kept.
__device__ void start_products(float (&sums)[sums_per_thread], const float (&a_high)[steps][4],
                               const float (&a_low)[steps][4], const float* stage, bool keep) {
  constexpr int step_of_b = mma_k * 4 / 16;  // a step's part of b is 32 bytes further, in units of 16
  const unsigned long long b_high = descriptor(stage), b_low = b_high + part_size * 4 / 16;
  wgmma_fence();
#pragma unroll
  for (int step = 0; step < steps; ++step)
    wgmma_m64n128k8(sums, a_low[step], b_high + step_of_b * step, keep || step > 0);
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

// The first row and column of the block's tile of C. Blocks that run at the same time share a band of 8 rows of blocks,
// not one, so that more of what they fetch is in the L2 cache.
__device__ void find_tile(int& first_row, int& first_column) {
  const int block = blockIdx.y * gridDim.x + blockIdx.x, band = band_height * gridDim.x;
  const int first_in_band = block / band * band_height;
  const int height = min(band_height, static_cast<int>(gridDim.y) - first_in_band);
  first_row = (first_in_band + block % band % height) * tile;
  first_column = block % band / height * tile;
}

// Splits the stages of A, one after another, from row first_row on. A stage is loaded to registers while the thread
// waits for a slot of the stage before.
__device__ void produce(const float* __restrict__ A, float* a_slots, Barrier* full, Barrier* empty, int first_row,
                        int m, int k) {
  const int thread = threadIdx.x % producers, piece = thread % 8, row = thread / 8;
  const int place = row * depth + (piece ^ row % 8) * 4;
  const bool aligned = k % 4 == 0;
  const int stage_count = (k + depth - 1) / depth;
  float4 next[8];  // on their way from global memory: the piece in row `row` and every 16th row below
  auto load = [&](int first) {
    int pitch = k;
    asm volatile("" : "+r"(pitch));  // so that the compiler does not keep the places of all rows in registers
    if (aligned && first + depth <= k) {
      // Rows outside of C are computed from the last one inside, and not stored.
#pragma unroll
      for (int i = 0; i < 8; ++i)
        next[i] = *reinterpret_cast<const float4*>(
            A + (min(first_row + row + 16 * i, m - 1) * pitch + first + 4 * piece));
    } else {
#pragma unroll
      for (int i = 0; i < 8; ++i) next[i] = load_inside(A, first_row + row + 16 * i, first + 4 * piece, m, pitch);
    }
  };
  load(0);
  for (int stage = 0; stage < stage_count; ++stage) {
    const int slot = stage % slots;
    if (stage >= slots) barrier_wait(empty[slot], (stage / slots - 1) % 2);
    float* const to = a_slots + slot * stage_size + place;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      float4 high, low;
      split(next[i].x, high.x, low.x);
      split(next[i].y, high.y, low.y);
      split(next[i].z, high.z, low.z);
      split(next[i].w, high.w, low.w);
      *reinterpret_cast<float4*>(to + i * 16 * depth) = high;
      *reinterpret_cast<float4*>(to + i * 16 * depth + part_size) = low;
    }
    load((stage + 1) * depth);
    fence_proxy_async();
    barrier_arrive(full[slot]);
  }
}

// Computes 64 columns of the tile of C at (first_row, first_column), and stores them. A warp copies its columns of B
// to a part of shared memory that is its own, four stages ahead, and so needs no barrier for them.
__device__ void consume(const float* __restrict__ B, float* __restrict__ C, const float* a_slots, float* b_slots,
                        Barrier* full, Barrier* empty, int first_row, int first_column, int m, int n, int k) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, group = lane / 4, t = lane % 4;
  const int warpgroup = __shfl_sync(~0u, threadIdx.x / 128, 0);  // so that the compiler knows: the same in a whole warp
  const int stage_count = (k + depth - 1) / depth;
  const bool aligned = n % 4 == 0;
  // Of a row's four pieces of 16 bytes, piece p is at place p ^ (row & 2): what a warp reads at once is then in
  // different banks.
  float* const warp_b = b_slots + warp * warp_columns * depth;
  const int copy_row = lane / 4, copy_column = first_column + warp * warp_columns + lane % 4 * 4;
  const unsigned copy_to = shared_address(warp_b + copy_row * warp_columns + (lane % 4 ^ (copy_row & 2)) * 4);
  const int copy_from = copy_row * n + min(copy_column, n - 4);
  auto copy_b = [&](int first, int slot) {
    if (aligned && first + depth <= k) {
#pragma unroll
      for (int i = 0; i < 4; ++i)
        copy_four(copy_to + (slot * b_size + i * 8 * warp_columns) * 4, B + (copy_from + (first + 8 * i) * n));
    } else {
#pragma unroll 1
      for (int i = 0; i < 16; ++i) {
        const int row = first + copy_row + i / 4 * 8, column = copy_column + i % 4;
        const bool inside = row < k && column < n;
        copy_one(copy_to + (slot * b_size + i / 4 * 8 * warp_columns + i % 4) * 4,
                 B + (inside ? row * n + column : 0), inside);
      }
    }
    copy_commit_group();
  };

  // The transposed product's rows may have any order. With columns 2 group and 2 group + 1 of B as rows group and
  // group + 8, a thread reads two neighbours of B, and stores two neighbours of C.
  float b_high[2][steps][4], b_low[2][steps][4];  // of the stage that is multiplied, and of the next one
  auto split_b = [&](float(&high)[steps][4], float(&low)[steps][4], int slot) {
    copy_wait_group<slots - 1>();
    __syncwarp();
    const float* from = warp_b + slot * b_size + t * warp_columns + (group / 2 ^ (t & 2)) * 4 + group % 2 * 2;
#pragma unroll
    for (int i = 0; i < steps; ++i) {
      const float2 x = *reinterpret_cast<const float2*>(from + i * 8 * warp_columns);
      const float2 y = *reinterpret_cast<const float2*>(from + (i * 8 + 4) * warp_columns);
      split(x.x, high[i][0], low[i][0]);
      split(x.y, high[i][1], low[i][1]);
      split(y.x, high[i][2], low[i][2]);
      split(y.y, high[i][3], low[i][3]);
    }
#pragma unroll
    for (int i = 0; i < 4 * steps; ++i) {
      compute_now(high[i / 4][i % 4]);
      compute_now(low[i / 4][i % 4]);
    }
    __syncwarp();
  };
#pragma unroll 1
  for (int slot = 0; slot < slots; ++slot) copy_b(slot * depth, slot);
  split_b(b_high[0], b_low[0], 0);
  copy_b(slots * depth, 0);

  // The tensor cores cut off what float32 would round. So their sums start at zero again and again, and are added to
  // others in float32: after every second stage, and not after the same ones in both consumers, so that one always
  // keeps the tensor cores busy. For k = 4096 the result is off by 3.9e-7 of its norm; with float32 throughout by 1.2e-6.
  float sums[sums_per_thread] = {}, stage_sums[sums_per_thread];
  auto add_up = [&]() {
#pragma unroll
    for (int i = 0; i < sums_per_thread; ++i) compute_now(stage_sums[i]);  // and not before the wait
#pragma unroll
    for (int i = 0; i < sums_per_thread; ++i) sums[i] += stage_sums[i];
  };
  bool keep = false;
  auto multiply = [&](int stage, int now) {
    const int slot = stage % slots, next_slot = (stage + 1) % slots;
    barrier_wait(full[slot], stage / slots % 2);
    start_products(stage_sums, b_high[now], b_low[now], a_slots + slot * stage_size, keep);
    keep = true;
    wgmma_wait_group<1>();  // the stage before is done
    if (lane == 0 && stage > 0) barrier_arrive(empty[(stage - 1) % slots]);
    split_b(b_high[1 - now], b_low[1 - now], next_slot);
    copy_b((stage + 1 + slots) * depth, next_slot);
    if (stage % 2 == warpgroup) {
      wgmma_wait_group<0>();
      add_up();
      keep = false;
    }
  };
  for (int stage = 0; stage < stage_count; stage += 2) {
    multiply(stage, 0);
    if (stage + 1 < stage_count) multiply(stage + 1, 1);
  }
  copy_wait_group<0>();
  wgmma_wait_group<0>();
  if (keep) add_up();

#pragma unroll
  for (int j = 0; j < tile / 8; ++j)
#pragma unroll
    for (int lower = 0; lower < 2; ++lower) {
      const int row = first_row + 8 * j + 2 * t + lower, i = 4 * j + lower;
      if (row < m) store_two(C, sums[i], sums[i + 2], row, first_column + warp * warp_columns + 2 * group, n);
    }
}

// Expects blocks of 384 threads and slots * (stage_size + b_size) * 4 = 196 608 bytes of shared memory.
__global__ void __launch_bounds__(consumers + producers, 1)
    matmul_warpgroups(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int m, int n,
                      int k) {
  extern __shared__ __align__(1024) float a_slots[];
  __shared__ Barrier full[slots], empty[slots];
  if (threadIdx.x < slots) {
    barrier_init(full[threadIdx.x], producers);
    barrier_init(empty[threadIdx.x], consumers / 32);  // one thread of each warp
  }
  __syncthreads();
  int first_row, first_column;
  find_tile(first_row, first_column);
  if (threadIdx.x >= consumers) {  // registers that the producer does not need go to the consumers
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(producer_registers));
    produce(A, a_slots, full, empty, first_row, m, k);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(consumer_registers));
    consume(B, C, a_slots, a_slots + slots * stage_size, full, empty, first_row, first_column, m, n, k);
  }
}

// The ceiling of the kernel above: the same instructions with nothing besides. Each warpgroup multiplies what is in its
// registers by what is in shared memory, `rounds` times, as for a stage. Each round adds to the sums of the one before:
// if it began again at zero, the compiler would leave out the rounds whose sums nobody reads, even here. It stores a sum
// only if it is not a number, and the compiler cannot know that this never happens. Expects blocks of 256 threads.
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
