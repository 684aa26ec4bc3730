// y[i] = x[i] / |x|, where |x|^2 is the sum of x[i]^2, for i in [0, size)
//
// All kernels load and store 16 bytes at a time. They expect arrays that are aligned to 16 bytes.

// Lane 0 gets the sum of its warp, from register to register.
__device__ double sum_of_warp(double sum) {
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffff, sum, lanes);
  return sum;
}

// Thread 0 gets the sum of its block: one sum of each warp goes through shared memory, and the first warp
// adds those.
__device__ double sum_of_block(double sum) {
  __shared__ double sums[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  sum = sum_of_warp(sum);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  if (warp == 0) sum = sum_of_warp(lane < blockDim.x / 32 ? sums[lane] : 0);
  return sum;
}

// The squares are exact in double.
__device__ double sum_of_four_squares(float4 four) {
  const double a = four.x, b = four.y, c = four.z, d = four.w;
  return (a * a + b * b) + (c * c + d * d);
}

// The sum of a thread's part. Four elements arrive with one instruction.
__device__ double sum_of_own_fours(const float* x, int size) {
  const float4* const fours = reinterpret_cast<const float4*>(x);
  const int stride = gridDim.x * blockDim.x;
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  double sum = 0;
  for (int i = first; i < size / 4; i += stride) {
    const float4 four = fours[i];
    sum += sum_of_four_squares(four);
  }
  const int left = size / 4 * 4 + first;  // at most three elements do not fill a load
  if (left < size) sum += static_cast<double>(x[left]) * x[left];
  return sum;
}

// The sum of the squares; it is zero before the launch. Expects blocks of whole warps.
__global__ void normalize_sum_wide_loads(const float* x, double* sum_of_squares, int size) {
  const double sum = sum_of_block(sum_of_own_fours(x, size));
  if (threadIdx.x == 0) atomicAdd(sum_of_squares, sum);
}

__device__ float4 four_times(float4 four, double factor) {
  return make_float4(four.x * factor, four.y * factor, four.z * factor, four.w * factor);
}

// Scales the vector after the launch that summed.
__global__ void normalize_scale_wide_loads(const float* x, const double* sum_of_squares, float* y, int size) {
  const double scale = *sum_of_squares == 0 ? 0 : 1 / sqrt(*sum_of_squares);
  const float4* const fours = reinterpret_cast<const float4*>(x);
  float4* const scaled = reinterpret_cast<float4*>(y);
  const int stride = gridDim.x * blockDim.x;
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = first; i < size / 4; i += stride) scaled[i] = four_times(fours[i], scale);
  const int left = size / 4 * 4 + first;
  if (left < size) y[left] = x[left] * scale;
}

// The same sum. The block that is done last works out the scale, once for all threads of the second kernel.
// It also sets both variables back to zero for the next launch, so no third launch has to clear them.
__global__ void normalize_sum_and_finish(const float* x, double* sum_of_squares, int* blocks_done,
                                         double* scale, int size) {
  double sum = sum_of_block(sum_of_own_fours(x, size));
  if (threadIdx.x > 0) return;
  atomicAdd(sum_of_squares, sum);
  __threadfence();  // no block counts as done before its sum is there
  if (atomicAdd(blocks_done, 1) < gridDim.x - 1) return;
  sum = __ldcg(sum_of_squares);  // from the cache that all blocks share, where the atomics work
  *scale = sum == 0 ? 0 : 1 / sqrt(sum);
  *sum_of_squares = 0;
  *blocks_done = 0;
}

// Each thread does one load and one store and ends: blocks begin in order, and none drifts away from the
// others. The first block takes the end of x, which the sum has read last: part of it is still in the L2
// cache.
__global__ void normalize_scale_backwards(const float* x, const double* scale, float* y, int size) {
  const int item = (gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x;
  const int fours = size / 4;
  const double factor = *scale;
  if (item < fours) {
    reinterpret_cast<float4*>(y)[item] = four_times(reinterpret_cast<const float4*>(x)[item], factor);
  } else if (item == fours) {
    for (int i = 4 * fours; i < size; ++i) y[i] = x[i] * factor;
  }
}

// No block goes on before the last one has come here. Each adds its part of 2^31 to arrived, so the sign
// changes when all have added theirs, and arrived is ready for the next launch. All blocks have to run at
// once: a cooperative launch.
__device__ void wait_for_all_blocks(int* arrived) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();  // what this block wrote is there before it counts as arrived
    const int before = atomicAdd(arrived, blockIdx.x == 0 ? 0x80000000 - (gridDim.x - 1) : 1);
    while ((before ^ *static_cast<volatile int*>(arrived)) >= 0) {
    }
    __threadfence();
  }
  __syncthreads();
}

// Blocks take the tiles of an array in order. A block's first tile is that of its own number. Thread 0 asks a
// counter for each further one. The answer is on its way while the thread does something else.
struct Tiles {
  int* taken;
  int count;

  __device__ int ask() const { return atomicAdd(taken, 1); }

  // Whoever took the last tile sets the counter back for the next launch: nobody asks again.
  __device__ int next(int answer) const {
    if (answer == count - 1) atomicExch(taken, 0);
    return gridDim.x + answer;
  }
};

constexpr int block = 768;      // threads
constexpr int rows_kept = 8;    // fours of each thread that stay on the chip
constexpr int sum_loads = 4;    // of a thread for each tile that is summed up
constexpr int scale_loads = 2;  // and for each tile that is scaled

// The fours of a thread in a tile of x that is scaled. Nothing is loaded past the end.
__device__ void load_tile(float4 (&tile)[scale_loads], const float4* fours, int first, int count) {
  for (int k = 0; k < scale_loads; ++k)
    if (first + k * block < count) tile[k] = fours[first + k * block];
}

// One launch for both passes. The eight rows of fours that each block reads first stay on the chip, in shared
// memory, where nothing can push them out. Of the others, the last that were read are still in the L2 cache
// and are scaled first. So less of x is fetched a second time: 19 % of 2^25 elements fit into the shared
// memory of 132 multiprocessors. Both passes take tiles in order. If each block had a part of its own, fast
// blocks would run ahead and memory would serve many places at once: 5 % slower. The next tile is on its way
// while one is stored. Expects blocks of 768 threads, as many as fit at once but not more than 768, and 98
// 304 bytes of shared memory for each.
__global__ void __launch_bounds__(block, 2)
    normalize_on_chip(const float* x, double* sums_of_blocks, int* arrived, int* tiles_taken, float* y,
                      int size) {
  extern __shared__ __align__(16) float4 kept[];
  __shared__ double scale;
  __shared__ int next_tile[2];
  const float4* const fours = reinterpret_cast<const float4*>(x);
  float4* const scaled = reinterpret_cast<float4*>(y);
  const int thread = threadIdx.x, stride = gridDim.x * block, count = size / 4;
  const int first = blockIdx.x * block + thread, others = rows_kept * stride, left = max(count - others, 0);
  double sum = 0;
  for (int i = first, place = thread; i < min(others, count); i += stride, place += block) {
    kept[place] = __ldcs(&fours[i]);
    sum += sum_of_four_squares(kept[place]);
  }
  const Tiles to_sum{&tiles_taken[0], (left + sum_loads * block - 1) / (sum_loads * block)};
  for (int tile = blockIdx.x, turn = 0; tile < to_sum.count; turn ^= 1) {
    const int answer = thread == 0 ? to_sum.ask() : 0;
    const int from = others + tile * sum_loads * block + thread;
    float4 four[sum_loads];
    for (int k = 0; k < sum_loads; ++k)
      four[k] = from + k * block < count ? fours[from + k * block] : make_float4(0, 0, 0, 0);
    for (int k = 0; k < sum_loads; ++k) sum += sum_of_four_squares(four[k]);
    if (thread == 0) next_tile[turn] = to_sum.next(answer);
    __syncthreads();
    tile = next_tile[turn];
  }
  const int single = 4 * count + first;  // at most three elements do not fill a load
  if (single < size) sum += static_cast<double>(x[single]) * x[single];

  sum = sum_of_block(sum);
  if (thread == 0) sums_of_blocks[blockIdx.x] = sum;
  wait_for_all_blocks(arrived);
  sum = sum_of_block(thread < gridDim.x ? __ldcg(&sums_of_blocks[thread]) : 0);
  if (thread == 0) scale = sum == 0 ? 0 : 1 / sqrt(sum);

  // Tile 0 is at the end of x.
  const Tiles to_scale{&tiles_taken[1], (left + scale_loads * block - 1) / (scale_loads * block)};
  const int last = others + (to_scale.count - 1) * scale_loads * block + thread;
  int tile = blockIdx.x, turn = 0;
  float4 ahead[scale_loads];
  if (tile < to_scale.count) {
    load_tile(ahead, fours, last - tile * scale_loads * block, count);
    if (thread == 0) next_tile[turn] = to_scale.next(to_scale.ask());
  }
  __syncthreads();
  const double factor = scale;
  while (tile < to_scale.count) {
    const int to = last - tile * scale_loads * block;
    tile = next_tile[turn];
    turn ^= 1;
    const bool asks = thread == 0 && tile < to_scale.count;
    const int answer = asks ? to_scale.ask() : 0;
    float4 four[scale_loads];
    for (int k = 0; k < scale_loads; ++k) four[k] = ahead[k];
    load_tile(ahead, fours, last - tile * scale_loads * block, tile < to_scale.count ? count : 0);
    for (int k = 0; k < scale_loads; ++k)
      if (to + k * block < count) scaled[to + k * block] = four_times(four[k], factor);
    if (asks) next_tile[turn] = to_scale.next(answer);
    __syncthreads();
  }
  for (int i = first, place = thread; i < min(others, count); i += stride, place += block)
    __stcs(&scaled[i], four_times(kept[place], factor));
  if (single < size) y[single] = x[single] * factor;
}
