// C = A B, where A is m x k, B is k x n and C is m x n, all row-major
//
// After matmul_warpgroups, at the top of the ladder. The price of its speed is precision.
//
// Half precision on tensor cores: A and B are rounded to float16, with 11 significant bits. The sums are float32.
// Each product is one instruction, where 3xTF32 (matmul_warpgroups) needs three, and a float16 product takes half as
// long as a TF32 one. The price is a rounding error of up to 2^-10 of each term, and elements from 65 520 on become
// infinite. Needs compute capability 9.0, compiled for sm_90a.
//
// to_half_panels rounds a matrix and stores it as panels; matmul_half multiplies panels. A panel
// is 64 columns (128 bytes) of some rows, and its bytes lie in the order that shared memory needs. So panels
// are copied in bulk (cp.async.bulk): one thread starts a copy of many KiB, and no thread computes addresses.
// Elements outside of the matrix are zero in a panel, so matmul_half guards only C.
//
//   cluster: two blocks, 256 x 256 of C    one stage of a block: 48 KiB, and there are four
//                  B: 64 x 256               A  one panel of 128 x 64
//               +---------------+            B  four panels of 64 x 64. Each block copies two of them to
//   A: 128 x 64 |    block 0    |               both blocks (multicast), so that they are read once from
//               +---------------+               the L2 cache
//   A: 128 x 64 |    block 1    |
//               +---------------+
//
// Warp specialisation, as in CUTLASS's cooperative kernels: warp 8 is the producer, which fills the stages
// one after another. Warpgroups 0 and 1 are consumers, each with 64 x 256 of the block's 128 x 256 sums. Each
// stage has two mbarriers: `full` (all bytes have arrived) and `empty` (the four consumers of the cluster
// have read them). Blocks are persistent: while consumers store a tile of C, the producer already copies for
// the next.

constexpr int tile_rows = 128;     // of C for each block (BM)
constexpr int tile_columns = 256;  // (BN)
constexpr int depth = 64;          // columns of A and rows of B in a stage (BK)
constexpr int panel_columns = 64;  // 128 bytes
constexpr int cluster_blocks = 2;  // one below the other
constexpr int consumers = 2;       // warpgroups
constexpr int stages = 4;
constexpr int mma_k = 16;             // columns of a and rows of b for one instruction
constexpr int sums_per_thread = 128;  // 64 x 256 sums for the 128 threads of a warpgroup
constexpr int group_height = 8;       // rows of a group of tiles: find_tile() goes down its columns, one by one
constexpr int a_bytes = 2 * tile_rows * depth, b_bytes = 2 * depth * tile_columns;
constexpr int b_panel_bytes = 2 * depth * panel_columns, stage_bytes = a_bytes + b_bytes;
constexpr int staged_columns = 64;  // columns of C that a warp stages at once, 16 rows of them

// Rounds two floats to half precision. The first one is in the lower 16 bits.
__device__ unsigned two_halves(float first, float second) {
  unsigned both;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
  return both;
}

// Rounds a matrix and stores it as panels of panel_rows x 64, in row-major order of panels. Expects a block
// for each row of the panels. A thread rounds 8 columns: a piece of 16 bytes. The pieces of a row are
// permuted (128-byte swizzle): piece p of row r is at p ^ (r % 8), so that piece p of eight rows is in
// different banks.
__global__ void to_half_panels(const float* __restrict__ M, unsigned* __restrict__ panels, int rows,
                               int columns, int panel_rows, int panels_across) {
  const int row = blockIdx.x, row_of_panel = row % panel_rows;
  const float* from = M + static_cast<long long>(row) * columns;
  uint4* to = reinterpret_cast<uint4*>(panels) +
              (static_cast<long long>(row / panel_rows) * panels_across * panel_rows + row_of_panel) * 8;
  for (int i = threadIdx.x; i < panels_across * 8; i += blockDim.x) {
    const int column = i * 8;
    float x[8] = {};
    if (row < rows && column + 8 <= columns && columns % 4 == 0) {
      *reinterpret_cast<float4*>(x) = *reinterpret_cast<const float4*>(from + column);
      *reinterpret_cast<float4*>(x + 4) = *reinterpret_cast<const float4*>(from + column + 4);
    } else {
#pragma unroll
      for (int j = 0; j < 8; ++j)
        if (row < rows && column + j < columns) x[j] = from[column + j];
    }
    to[static_cast<long long>(i / 8) * panel_rows * 8 + (i % 8 ^ row_of_panel % 8)] = {
        two_halves(x[0], x[1]), two_halves(x[2], x[3]), two_halves(x[4], x[5]), two_halves(x[6], x[7])};
  }
}

// Returns an address in the block's shared memory, as instructions take it.
__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// Returns the block's rank in its cluster.
__device__ unsigned cluster_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// Waits for all threads of the cluster.
__device__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

// Initialises an mbarrier. A phase ends after this number of arrivals, when all announced bytes are there, too.
__device__ void mbarrier_init(unsigned barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

// Arrives, and announces bytes that copies will bring.
__device__ void mbarrier_arrive_expect_tx(unsigned barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

// Arrives at the same barrier of another block of the cluster. The arrival does not order memory for the whole cluster
// (.release.cluster), which would take a thousand cycles. It need not: only wgmma instructions read the stage, and
// they have ended before the arrival.
__device__ void mbarrier_arrive(unsigned barrier, unsigned block) {
  asm volatile(
      "{.reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there];}" ::"r"(barrier),
      "r"(block)
      : "memory");
}

// Waits until the phase of that parity has ended.
__device__ void mbarrier_wait(unsigned barrier, int parity) {
  asm volatile(
      "{.reg .pred ended;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 ended, [%0], %1;\n"
      "@!ended bra again;}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

// Starts a copy to the shared memory of this block.
__device__ void bulk_copy(unsigned to, const char* from, int bytes, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}

// Starts a copy to the same address in both blocks. The barrier of each block counts the block's bytes.
__device__ void bulk_copy_multicast(unsigned to, const char* from, int bytes, unsigned barrier) {
  asm volatile(
      "{.reg .b16 both_blocks;\n"
      "mov.b16 both_blocks, 3;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1], %2, [%3], both_blocks;}" ::"r"(to),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}

// Returns a matrix descriptor: where panels start in shared memory, and that they have the 128-byte swizzle.
// Eight rows are 1024 bytes, and panels of b follow each other. Addresses and distances are in units of 16
// bytes.
__device__ unsigned long long descriptor(unsigned address) {
  constexpr unsigned long long next_panel = b_panel_bytes / 16, eight_rows = 1024 / 16, swizzle_128_bytes = 1;
  return static_cast<unsigned long long>((address & 0x3ffff) >> 4) | next_panel << 16 | eight_rows << 32 |
         swizzle_128_bytes << 62;
}

// Starts c += a b, or c = a b if it does not accumulate, for 64 x 16 numbers of a and 16 x 256 of b. The
// instruction ends with "0, 1": a is not transposed, b is. wgmma expects the rows of a and the columns of b to be
// contiguous in shared memory, but in this b the rows are.
// Each warp has 16 rows. With group = lane / 4 and t = lane % 4, a thread holds c in rows group and group +
// 8, columns 2 t and 2 t + 1 of every eight.
__device__ void wgmma_m64n256k16(float (&c)[sums_per_thread], unsigned long long a, unsigned long long b,
                                 int accumulate) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
      "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,"
      "%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,"
      "%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,"
      "%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,"
      "%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,"
      "%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,"
      "%120,%121,%122,%123,%124,%125,%126,%127"
      "}, %128, %129, p, 1, 1, 0, 1;}\n"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]),
        "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]),
        "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]),
        "+f"(c[23]), "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]),
        "+f"(c[30]), "+f"(c[31]), "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]), "+f"(c[36]),
        "+f"(c[37]), "+f"(c[38]), "+f"(c[39]), "+f"(c[40]), "+f"(c[41]), "+f"(c[42]), "+f"(c[43]),
        "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]), "+f"(c[48]), "+f"(c[49]), "+f"(c[50]),
        "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]), "+f"(c[56]), "+f"(c[57]),
        "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63]), "+f"(c[64]),
        "+f"(c[65]), "+f"(c[66]), "+f"(c[67]), "+f"(c[68]), "+f"(c[69]), "+f"(c[70]), "+f"(c[71]),
        "+f"(c[72]), "+f"(c[73]), "+f"(c[74]), "+f"(c[75]), "+f"(c[76]), "+f"(c[77]), "+f"(c[78]),
        "+f"(c[79]), "+f"(c[80]), "+f"(c[81]), "+f"(c[82]), "+f"(c[83]), "+f"(c[84]), "+f"(c[85]),
        "+f"(c[86]), "+f"(c[87]), "+f"(c[88]), "+f"(c[89]), "+f"(c[90]), "+f"(c[91]), "+f"(c[92]),
        "+f"(c[93]), "+f"(c[94]), "+f"(c[95]), "+f"(c[96]), "+f"(c[97]), "+f"(c[98]), "+f"(c[99]),
        "+f"(c[100]), "+f"(c[101]), "+f"(c[102]), "+f"(c[103]), "+f"(c[104]), "+f"(c[105]), "+f"(c[106]),
        "+f"(c[107]), "+f"(c[108]), "+f"(c[109]), "+f"(c[110]), "+f"(c[111]), "+f"(c[112]), "+f"(c[113]),
        "+f"(c[114]), "+f"(c[115]), "+f"(c[116]), "+f"(c[117]), "+f"(c[118]), "+f"(c[119]), "+f"(c[120]),
        "+f"(c[121]), "+f"(c[122]), "+f"(c[123]), "+f"(c[124]), "+f"(c[125]), "+f"(c[126]), "+f"(c[127])
      : "l"(a), "l"(b), "r"(accumulate));
}

// Makes what this thread has written to registers visible to the wgmma that follow.
__device__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

// Groups all wgmma since the last commit.
__device__ void wgmma_commit_group() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits until at most `pending` groups are in flight.
template <int pending>
__device__ void wgmma_wait_group() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

// Starts the products of a stage, for 64 rows of A.
__device__ void start_products(float (&sums)[sums_per_thread], unsigned a, unsigned b, bool accumulate) {
  const unsigned long long a_panel = descriptor(a), b_panels = descriptor(b);
  wgmma_fence();
#pragma unroll
  for (int step = 0; step < depth / mma_k; ++step)  // 16 columns of a are 32 bytes, 16 rows of b 2048 bytes
    wgmma_m64n256k16(sums, a_panel + step * 2, b_panels + step * 128, accumulate || step > 0);
  wgmma_commit_group();
}

// A position in the ring of stages, and the parity of its phase.
struct Ring {
  int stage = 0, parity = 0;

  __device__ void advance() {
    parity ^= stage == stages - 1;
    stage = (stage + 1) % stages;
  }
};

// Finds a cluster's tile of C in grouped order, which CUTLASS calls threadblock swizzle: tiles go down group_height
// rows, then across. Then more of what blocks load at the same time is in the L2 cache.
__device__ void find_tile(int tile, int tiles_down, int tiles_across, int& row, int& column) {
  const int group_size = group_height * tiles_across, group_row = tile / group_size * group_height;
  const int height = min(group_height, tiles_down - group_row);
  row = group_row + tile % group_size % height;
  column = tile % group_size / height;
}

// Stores the 16 x 256 sums of a warp, the first one at (first_row, first_column) of C.
// Sums go through shared memory: a warp then writes 256 bytes in two rows at once, and not 32 bytes in eight.
// Pairs of columns are permuted there: pair p of row r is at p ^ (4 r % 32), without bank conflicts.
__device__ void store_sums(const float (&sums)[sums_per_thread], float* staging, float* C, int first_row,
                           int first_column, int m, int n) {
  const int lane = threadIdx.x % 32, group = lane / 4, t = lane % 4;
#pragma unroll
  for (int first = 0; first < tile_columns; first += staged_columns) {
#pragma unroll
    for (int i = 0; i < staged_columns / 2; i += 2) {
      const int row = group + i / 2 % 2 * 8, pair = ((i & ~3) + t) ^ (group * 4);
      *reinterpret_cast<float2*>(staging + row * staged_columns + pair * 2) =
          make_float2(sums[first / 2 + i], sums[first / 2 + i + 1]);
    }
    __syncwarp();
    const int column = first_column + first + lane % 16 * 4;
#pragma unroll 2
    for (int r = lane / 16; r < 16 && first_row + r < m; r += 2) {
      const int pair = (lane % 16 * 2) ^ (r % 8 * 4);
      const float4 x = *reinterpret_cast<const float4*>(staging + r * staged_columns + pair * 2);
      float* const to = C + (static_cast<long long>(first_row + r) * n + column);
      if (n % 4 == 0 && column < n) {
        *reinterpret_cast<float4*>(to) = x;
      } else {
        if (column < n) to[0] = x.x;
        if (column + 1 < n) to[1] = x.y;
        if (column + 2 < n) to[2] = x.z;
        if (column + 3 < n) to[3] = x.w;
      }
    }
    __syncwarp();
  }
}

// Expects an even number of blocks of 288 threads, with 4 * 48 + 32 KiB of shared memory. A_panels are
// 128 x 64 and B_panels 64 x 64, of matrices whose m and n were rounded up to multiples of 256, and k of 64.
__global__ void __cluster_dims__(cluster_blocks, 1, 1) __launch_bounds__(288, 1)
    matmul_half(const unsigned* __restrict__ A_panels, const unsigned* __restrict__ B_panels,
                float* __restrict__ C, int m, int n, int k) {
  extern __shared__ __align__(1024) char stage_memory[];
  __shared__ unsigned long long full[stages], empty[stages];
  const unsigned rank = cluster_rank(), first_stage = shared_address(stage_memory);
  const int warpgroup =
      __shfl_sync(~0u, threadIdx.x / 128, 0);  // tells the compiler that it is uniform in a warp
  if (threadIdx.x == 0) {
    for (int i = 0; i < stages; ++i) {
      mbarrier_init(shared_address(&full[i]), 1);
      mbarrier_init(shared_address(&empty[i]), consumers * cluster_blocks);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  cluster_sync();

  const int tiles_down = (m + cluster_blocks * tile_rows - 1) / (cluster_blocks * tile_rows);
  const int tiles_across = (n + tile_columns - 1) / tile_columns;
  const int iterations = (k + depth - 1) / depth;
  const int clusters = gridDim.x / cluster_blocks;
  Ring ring;
  for (int tile = blockIdx.x / cluster_blocks; tile < tiles_down * tiles_across; tile += clusters) {
    int tile_row, tile_column;
    find_tile(tile, tiles_down, tiles_across, tile_row, tile_column);
    const int block_row = tile_row * cluster_blocks + rank;
    if (warpgroup == consumers) {
      const unsigned half_of_b = rank * (b_bytes / 2);
      const char* a =
          reinterpret_cast<const char*>(A_panels) + static_cast<long long>(block_row) * iterations * a_bytes;
      const char* b =
          reinterpret_cast<const char*>(B_panels) + static_cast<long long>(tile_column) * b_bytes + half_of_b;
      for (int i = 0; i < iterations && threadIdx.x % 32 == 0; ++i) {  // in one thread only
        const unsigned stage = first_stage + ring.stage * stage_bytes,
                       barrier = shared_address(&full[ring.stage]);
        mbarrier_wait(shared_address(&empty[ring.stage]), ring.parity ^ 1);
        mbarrier_arrive_expect_tx(barrier, stage_bytes);
        bulk_copy(stage, a, a_bytes, barrier);
        bulk_copy_multicast(stage + a_bytes + half_of_b, b, b_bytes / 2, barrier);
        a += a_bytes;
        b += static_cast<long long>(tiles_across) * b_bytes;
        ring.advance();
      }
      __syncwarp();
      continue;
    }
    const int warp = threadIdx.x / 32;
    // Two threads of each consumer tell one block each that the stage is empty.
    const auto release = [&](int stage) {
      if (threadIdx.x % 128 < cluster_blocks)
        mbarrier_arrive(shared_address(&empty[stage]), threadIdx.x % 128);
    };
    float sums[sums_per_thread];
    int previous = 0;
    for (int i = 0; i < iterations; ++i) {
      const unsigned stage = first_stage + ring.stage * stage_bytes;
      mbarrier_wait(shared_address(&full[ring.stage]), ring.parity);
      start_products(sums, stage + warpgroup * (a_bytes / consumers), stage + a_bytes, i > 0);
      wgmma_wait_group<1>();  // the products of the stage before have ended
      if (i > 0) release(previous);
      previous = ring.stage;
      ring.advance();
    }
    wgmma_wait_group<0>();
    release(previous);
    float* const staging =
        reinterpret_cast<float*>(stage_memory + stages * stage_bytes) + warp * 16 * staged_columns;
    store_sums(sums, staging, C, block_row * tile_rows + warp * 16, tile_column * tile_columns, m, n);
  }
  cluster_sync();  // a block must not end while the other one may copy to its shared memory
}

// Runs the same products and nothing else: the ceiling of the kernel above. Each warpgroup multiplies what is
// in shared memory `rounds` times, and adds to the same sums, as multiply_add_warpgroups does for 3xTF32.
// Expects blocks of 256 threads.
__global__ void __launch_bounds__(256, 1) multiply_add_half(float* sink, int rounds) {
  __shared__ __align__(1024) char stage_memory[stage_bytes];
  const auto some_number = [](unsigned i) { return (i * 2654435761u >> 8) * 0x1p-24f - 0.5f; };
  for (int i = threadIdx.x; i < stage_bytes / 4; i += blockDim.x)
    reinterpret_cast<unsigned*>(stage_memory)[i] = two_halves(some_number(2 * i), some_number(2 * i + 1));
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // makes it visible to the tensor cores
  __syncthreads();
  const unsigned stage = shared_address(stage_memory), rows = threadIdx.x / 128 * (a_bytes / consumers);
  float sums[sums_per_thread] = {};
  for (int round = 0; round < rounds; ++round) {
    start_products(sums, stage + rows, stage + a_bytes, true);
    wgmma_wait_group<1>();
  }
  wgmma_wait_group<0>();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < sums_per_thread; ++i) sum += sums[i];
  if (sum != sum) *sink = sum;
}
