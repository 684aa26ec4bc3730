// C = A B, where A is m x k, B is k x n and C is m x n, all of them row after row in memory
//
// As matmul_tensor_cores: each float32 is split into two TF32 numbers of 11 significant bits, high + low, and
//
//   a b = high_a high_b + high_a low_b + low_a high_b + (low_a low_b, less than 2^-22 of the product: left out)
//
// A Hopper GPU reaches the full speed of its tensor cores only with instructions that a warpgroup, four warps, issues
// together and does not wait for. They read b from shared memory. Needs compute capability 9.0, compiled for sm_90a.

// The nearest number with 11 significant bits: adds half of the last of them, and cuts off the 13 bits below.
__device__ float high_part(float x) { return __uint_as_float((__float_as_uint(x) + 0x1000) & 0xffffe000); }

// Tells the tensor cores where b starts in shared memory, and how it lies there: 128 rows, one for each column of B,
// of 32 floats. The 16-byte pieces of a row are permuted: piece p of row r is at place p ^ (r % 8), so that eight rows'
// piece p are in different banks. Eight rows are 1024 bytes (64 x 16), and b starts at a multiple of them.
__device__ unsigned long long descriptor(const float* b) {
  const unsigned address = (unsigned)__cvta_generic_to_shared(b);
  return (unsigned long long)((address & 0x3ffff) >> 4) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

// Starts c += a b, or c = a b where nothing is kept, for 64 x 8 numbers of a, 16 rows in each warp, and 8 x 128 of b.
// With group = lane / 4 and t = lane % 4, a thread holds a in rows group and group + 8, columns t and t + 4; and c in
// the same rows, columns 2 t and 2 t + 1 of every eight.
__device__ void start_multiply_add(float (&c)[64], const float (&a)[4], unsigned long long b, int keep) {
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

// Before the first of some multiplications: registers written so far are what the tensor cores will read.
__device__ void begin_multiplications() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

// After the last of them.
__device__ void end_multiplications() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

// Waits until they are done: then c is there, and a and b may be overwritten.
__device__ void wait_for_multiplications() { asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); }

// What this thread has stored to shared memory becomes visible to the tensor cores, which read it by another path.
__device__ void show_to_tensor_cores() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// Both warpgroups meet, each at a point of its own. It is a barrier like __syncthreads, but has a number, so that
// which of the calls a thread comes by does not matter.
__device__ void hand_over() { asm volatile("barrier.sync 1, 256;" ::: "memory"); }

// Does nothing, at this point of the program: the compiler must have computed x before, not between multiplications.
__device__ void compute_now(float& x) { asm volatile("" : "+f"(x)::"memory"); }

// Four neighbours in a row of M, and zeros where there are none.
__device__ float4 load_inside(const float* M, int row, int column, int rows, int columns) {
  const float* from = M + row * columns + column;
  const int count = row < rows ? columns - column : 0;
  return make_float4(count > 0 ? from[0] : 0, count > 1 ? from[1] : 0, count > 2 ? from[2] : 0,
                     count > 3 ? from[3] : 0);
}

__device__ float element(const float4& x, int i) { return i == 0 ? x.x : i == 1 ? x.y : i == 2 ? x.z : x.w; }

// A block computes 128 x 128 elements of C, each of its two warpgroups 64 x 128 of them, in steps of 32 columns of A
// and rows of B. The warpgroups take turns: while the tensor cores work for one, the other adds up, splits its part of
// A in registers, and splits and stores its half of B, transposed, to shared memory. As the order of a sum is free, a
// thread multiplies those columns of A that it can load four at a time, and B is stored in that order.
// As before, the sums of each step start at zero and are added in float32, rounded. The small products come first.
// Expects blocks of 256 threads and 3 * 2 * 128 * 32 * 4 = 98304 bytes of shared memory.
__global__ void __launch_bounds__(256, 1)
    matmul_warpgroups(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int m, int n,
                      int k) {
  constexpr int part_size = 128 * 32, stage_size = 2 * part_size;  // the high parts, and then the low parts
  extern __shared__ __align__(1024) float stages[];
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32, group = lane / 4, t = lane % 4;
  const int warpgroup = __shfl_sync(~0u, thread / 128, 0);  // so that the compiler knows: the same in a whole warp

  // Blocks that run at the same time share 8 rows of blocks, not one, so that more of what they fetch is in the L2.
  const int block = blockIdx.y * gridDim.x + blockIdx.x, band = 8 * gridDim.x;
  const int first_in_band = block / band * 8, height = min(8, (int)gridDim.y - first_in_band);
  const int first_row = (first_in_band + block % band % height) * 128;
  const int first_column = block % band / height * 128;

  const bool aligned = k % 4 == 0 && n % 4 == 0;
  const int tiles = (k + 31) / 32;
  // Rows and columns outside of C are computed from the last ones inside, and not stored.
  const int a_row = first_row + warp * 16 + group;
  const int a_first = min(a_row, m - 1) * k + 4 * t, a_second = min(a_row + 8, m - 1) * k + 4 * t;
  // Of B a thread prepares piece `piece` of 4 columns: rows b_row, + 4, + 8 and + 12.
  const int piece = lane % 4 + warp / 4 * 4, b_column = (lane / 4 + warp % 4 * 8) * 4;
  const int b_row = piece % 2 * 16 + piece / 2;
  const int b_first = b_row * n + min(first_column + b_column, n - 4);
  float sums[64] = {}, tile_sums[64];
  float4 a_next[4], b_next[4];
  float a_high[4][4], a_low[4][4];
  auto load_a = [&](int first) {
    if (aligned && first + 32 <= k) {
      a_next[0] = *(const float4*)(A + a_first + first);
      a_next[1] = *(const float4*)(A + a_second + first);
      a_next[2] = *(const float4*)(A + a_first + first + 16);
      a_next[3] = *(const float4*)(A + a_second + first + 16);
    } else {
#pragma unroll
      for (int i = 0; i < 4; ++i)
        a_next[i] = load_inside(A, a_row + i % 2 * 8, first + i / 2 * 16 + 4 * t, m, k);
    }
  };
  auto load_b = [&](int first) {
    if (aligned && first + 32 <= k) {
#pragma unroll
      for (int i = 0; i < 4; ++i) b_next[i] = *(const float4*)(B + (b_first + (first + 4 * i) * n));
    } else {
#pragma unroll
      for (int i = 0; i < 4; ++i)
        b_next[i] = load_inside(B, first + b_row + 4 * i, first_column + b_column, k, n);
    }
  };
  auto split_a = [&] {
#pragma unroll
    for (int step = 0; step < 4; ++step)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        a_high[step][i] = high_part(element(a_next[i], step));
        a_low[step][i] = element(a_next[i], step) - a_high[step][i];
      }
  };
  int places[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) places[i] = (b_column + i) * 32 + (piece ^ (b_column + i) % 8) * 4;
  auto store_b = [&](float* to) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float4 x = {element(b_next[0], i), element(b_next[1], i), element(b_next[2], i), element(b_next[3], i)};
      const float4 high = {high_part(x.x), high_part(x.y), high_part(x.z), high_part(x.w)};
      *(float4*)(to + places[i]) = high;
      *(float4*)(to + places[i] + part_size) = {x.x - high.x, x.y - high.y, x.z - high.z, x.w - high.w};
    }
  };

  load_a(0);
  load_b(0);
  split_a();
  load_a(32);
  store_b(stages);
  load_b(32);
  int store_stage = 1, stage = 0, b_next_row = 64;
  show_to_tensor_cores();
  __syncthreads();
  if (warpgroup == 1) {  // the other one has the first turn; this one is a tile of B ahead of it from now on
    store_b(stages + stage_size);
    load_b(64);
    store_stage = 2;
    b_next_row = 96;
    show_to_tensor_cores();
    hand_over();
  }
  for (int tile = 0; tile < tiles; ++tile) {
    const unsigned long long b_high = descriptor(stages + stage * stage_size), b_low = b_high + (part_size * 4 >> 4);
    begin_multiplications();  // 8 columns of A are 32 bytes, or 2 x 16, further in a row of b
#pragma unroll
    for (int step = 0; step < 4; ++step) start_multiply_add(tile_sums, a_low[step], b_high + 2 * step, step > 0);
#pragma unroll
    for (int step = 0; step < 4; ++step) start_multiply_add(tile_sums, a_high[step], b_low + 2 * step, 1);
#pragma unroll
    for (int step = 0; step < 4; ++step) start_multiply_add(tile_sums, a_high[step], b_high + 2 * step, 1);
    end_multiplications();
    hand_over();  // the tensor cores have all of this warpgroup's work: the turn of the other one
    store_b(stages + store_stage * stage_size);
    show_to_tensor_cores();
    load_b(b_next_row);
    wait_for_multiplications();
    split_a();
    load_a(tile * 32 + 64);
#pragma unroll
    for (int i = 0; i < 64; ++i) sums[i] += tile_sums[i];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      compute_now(a_high[i / 4][i % 4]);
      compute_now(a_low[i / 4][i % 4]);
    }
    stage = stage == 2 ? 0 : stage + 1;
    store_stage = store_stage == 2 ? 0 : store_stage + 1;
    b_next_row += 32;
    hand_over();  // now this warpgroup's turn
  }
  if (warpgroup == 0) hand_over();  // the other one waits once more

#pragma unroll
  for (int j = 0; j < 16; ++j)
#pragma unroll
    for (int lower = 0; lower < 2; ++lower) {
      const int row = a_row + lower * 8, column = first_column + j * 8 + 2 * t;
      if (row < m) {
        float* c = C + row * n + column;
        if (n % 2 == 0 && column < n)
          *(float2*)c = make_float2(sums[j * 4 + lower * 2], sums[j * 4 + lower * 2 + 1]);
        else {
          if (column < n) c[0] = sums[j * 4 + lower * 2];
          if (column + 1 < n) c[1] = sums[j * 4 + lower * 2 + 1];
        }
      }
    }
}
