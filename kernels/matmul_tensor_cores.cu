// C = A B, where A is m x k, B is k x n and C is m x n, all of them row after row in memory
//
// On the tensor cores, which multiply numbers of 11 significant bits (TF32) and add up in float32. A float32 has 24,
// so each operand is split into two TF32 numbers, high + low, and
//
//   a b = high_a high_b + high_a low_b + low_a high_b + (low_a low_b, less than 2^-22 of the product: left out)
//
// Three products on the tensor cores for one in float32. Needs compute capability 8.0.

// The nearest number with 11 significant bits: adds half of the last of them, and cuts off the 13 bits below.
__device__ float high_part(float x) { return __uint_as_float((__float_as_uint(x) + 0x1000) & 0xffffe000); }

// c += a b for 16 x 8 numbers of a and 8 x 8 of b, by a whole warp: each of its threads holds 4 numbers of a, 2 of b
// and 4 of c. With group = lane / 4 and t = lane % 4, they are a in rows group and group + 8, columns t and t + 4;
// b in rows t and t + 4, column group; c in rows group and group + 8, columns 2 t and 2 t + 1.
__device__ void multiply_add(float (&c)[4], const float (&a)[4], const float (&b)[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
        "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}

// Loads 16 x 8 numbers from shared memory so that each thread gets the four of a that multiply_add wants. Lane l says
// where four neighbours are: those of row l % 16, columns 0 to 3 in lanes 0 to 15 and columns 4 to 7 in the others.
__device__ void load_matrix(float (&a)[4], const float* from) {
  unsigned bits[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(bits[0]), "=r"(bits[1]), "=r"(bits[2]), "=r"(bits[3])
               : "r"((unsigned)__cvta_generic_to_shared(from)));
  for (int i = 0; i < 4; ++i) a[i] = __uint_as_float(bits[i]);
}

// Starts a copy of 4 floats from global to shared memory, past the registers, and goes on without waiting for it.
// Only the first `inside` of them exist: the others become zeros. Rows that do not start at a multiple of 16 bytes
// are copied one float at a time.
__device__ void start_copy(float* to, const float* from, int inside, bool aligned) {
  const unsigned address = (unsigned)__cvta_generic_to_shared(to);
  inside = max(0, min(inside, 4));
  if (aligned) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(4 * inside));
  } else {
    for (int i = 0; i < 4; ++i)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address + 4 * i), "l"(from + i),
                   "r"(i < inside ? 4 : 0));
  }
}

// The copies that this thread has started since the last call form a group.
__device__ void end_group() { asm volatile("cp.async.commit_group;"); }

// Waits until only the last group may still be under way.
__device__ void wait_for_all_groups_but_one() { asm volatile("cp.async.wait_group 1;"); }

// A block computes 128 x 128 elements of C, each of its 8 warps 64 x 32 of them. While the tensor cores work on 32
// columns of A and 32 rows of B, the copies of the next two such tiles are under way. The split is done in registers.
// The sums of a tensor core are cut off where float32 would round: over thousands of terms that adds up, to 25 times
// the error of float32. So the sums of each tile start at zero, and are added in float32, rounded, to those before.
// Expects blocks of 256 threads and 3 * (128 * 36 + 32 * 136) * 4 = 107520 bytes of shared memory.
__global__ void __launch_bounds__(256)
    matmul_tensor_cores(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int m, int n,
                        int k) {
  // Rows have 4 words (a) and 8 words (b) more than they need, so that a warp reads from 32 different banks.
  constexpr int a_stride = 32 + 4, b_stride = 128 + 8, stage_size = 128 * a_stride + 32 * b_stride;
  extern __shared__ __align__(16) float stages[];
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32, group = lane / 4, t = lane % 4;
  const int warp_row = warp / 4 * 64, warp_column = warp % 4 * 32;
  const int first_row = blockIdx.y * 128, first_column = blockIdx.x * 128;
  const bool aligned = k % 4 == 0 && n % 4 == 0;
  const int tiles = (k + 31) / 32;

  // A thread copies 4 floats in each of 4 rows of a tile of A, and the same of B.
  const int a_row = thread / 8, a_column = thread % 8 * 4, b_row = thread / 32, b_column = thread % 32 * 4;
  const float* a_from = A + (long long)(first_row + a_row) * k + a_column;
  const float* b_from = B + (long long)b_row * n + first_column + b_column;
  const long long a_step = (long long)32 * k, b_step = (long long)8 * n;
  float* a_to = stages + a_row * a_stride + a_column;
  float* b_to = stages + 128 * a_stride + b_row * b_stride + b_column;
  int fetched = 0;
  auto fetch = [&](int stage) {
    const int first = fetched * 32;
#pragma unroll
    for (int i = 0; i < 4; ++i)
      start_copy(a_to + stage * stage_size + i * 32 * a_stride, a_from + i * a_step,
                 first_row + a_row + i * 32 < m ? k - first - a_column : 0, aligned);
#pragma unroll
    for (int i = 0; i < 4; ++i)
      start_copy(b_to + stage * stage_size + i * 8 * b_stride, b_from + i * b_step,
                 first + b_row + i * 8 < k ? n - first_column - b_column : 0, aligned);
    a_from += 32;
    b_from += (long long)32 * n;
    ++fetched;
  };

  float sums[4][4][4] = {};
  fetch(0);
  end_group();
  fetch(1);
  end_group();
  int stage = 0, next_stage = 2;
  for (int tile = 0; tile < tiles; ++tile) {
    wait_for_all_groups_but_one();
    __syncthreads();  // now all threads' copies of this tile are there, and all are done with the tile before
    const float* a = stages + stage * stage_size + (warp_row + lane % 16) * a_stride + lane / 16 * 4;
    const float* b = stages + stage * stage_size + 128 * a_stride + t * b_stride + warp_column + 4 * group;
    float tile_sums[4][4][4] = {};
    float a_values[2][4][4], b_values[2][4][2];  // of this step and of the next
    // Column `group` of the j-th 8 x 8 numbers of b is column 4 group + j here: a thread reads its columns of all four
    // at once, and ends up with neighbours in a row of C.
    auto load = [&](int step) {
#pragma unroll
      for (int i = 0; i < 4; ++i) load_matrix(a_values[step % 2][i], a + i * 16 * a_stride + step * 8);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float4 x = *(const float4*)(b + (step * 8 + half * 4) * b_stride);
        b_values[step % 2][0][half] = x.x;
        b_values[step % 2][1][half] = x.y;
        b_values[step % 2][2][half] = x.z;
        b_values[step % 2][3][half] = x.w;
      }
    };
    load(0);
    fetch(next_stage);
    end_group();
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      if (step < 3) load(step + 1);
      float b_high[4][2], b_low[4][2];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          b_high[j][e] = high_part(b_values[step % 2][j][e]);
          b_low[j][e] = b_values[step % 2][j][e] - b_high[j][e];
        }
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        float a_high[4], a_low[4];
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          a_high[e] = high_part(a_values[step % 2][i][e]);
          a_low[e] = a_values[step % 2][i][e] - a_high[e];
        }
#pragma unroll
        for (int j = 0; j < 4; ++j) multiply_add(tile_sums[i][j], a_low, b_high[j]);
#pragma unroll
        for (int j = 0; j < 4; ++j) multiply_add(tile_sums[i][j], a_high, b_low[j]);
#pragma unroll
        for (int j = 0; j < 4; ++j) multiply_add(tile_sums[i][j], a_high, b_high[j]);
      }
    }
    stage = stage == 2 ? 0 : stage + 1;
    next_stage = next_stage == 2 ? 0 : next_stage + 1;
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) sums[i][j][e] += tile_sums[i][j][e];
  }

#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int lower = 0; lower < 2; ++lower) {
      const int row = first_row + warp_row + i * 16 + lower * 8 + group;
#pragma unroll
      for (int right = 0; right < 2; ++right) {
        const int column = first_column + warp_column + 8 * t + 4 * right;
        float values[4];
        for (int j = 0; j < 4; ++j) values[j] = sums[i][j][lower * 2 + right];
        if (row < m) {
          float* c = C + (long long)row * n + column;
          if (n % 4 == 0) {
            if (column < n) *(float4*)c = make_float4(values[0], values[1], values[2], values[3]);
          } else {
            for (int j = 0; j < 4; ++j)
              if (column + j < n) c[j] = values[j];
          }
        }
      }
    }
}
