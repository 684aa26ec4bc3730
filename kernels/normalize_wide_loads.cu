// y[i] = x[i] / |x|, where |x|^2 is the sum of x[i]^2, for i in [0, size)
//
// All kernels load and store 16 bytes at a time. They expect arrays that are aligned to 16 bytes.

// Lane 0 gets the sum of its warp: a tree reduction with warp shuffles, from register to register.
__device__ double warp_sum(double sum) {
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  return sum;
}

// Thread 0 gets the sum of its block: one sum of each warp goes through shared memory, and the first warp
// adds those.
__device__ double block_sum(double sum) {
  __shared__ double sums[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  sum = warp_sum(sum);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  if (warp == 0) sum = warp_sum(lane < blockDim.x / 32 ? sums[lane] : 0);
  return sum;
}

// Returns the sum of four squares, which are exact in double.
__device__ double squared_norm(float4 vector) {
  const double a = vector.x, b = vector.y, c = vector.z, d = vector.w;
  return (a * a + b * b) + (c * c + d * d);
}

// Returns the thread's part of the sum: a grid-stride loop over vectors of four elements, each one load.
__device__ double thread_sum(const float* x, int size) {
  const float4* const vectors = reinterpret_cast<const float4*>(x);
  const int stride = gridDim.x * blockDim.x;
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  double sum = 0;
  for (int i = first; i < size / 4; i += stride) {
    const float4 vector = vectors[i];
    sum += squared_norm(vector);
  }
  const int leftover = size / 4 * 4 + first;  // at most three elements do not fill a load
  if (leftover < size) sum += static_cast<double>(x[leftover]) * x[leftover];
  return sum;
}

// Adds up the squares; the sum is zero before the launch. Expects blocks of whole warps.
__global__ void normalize_sum_wide_loads(const float* x, double* sum_of_squares, int size) {
  const double sum = block_sum(thread_sum(x, size));
  if (threadIdx.x == 0) atomicAdd(sum_of_squares, sum);
}

__device__ float4 scale_vector(float4 vector, double factor) {
  return make_float4(vector.x * factor, vector.y * factor, vector.z * factor, vector.w * factor);
}

// Scales the vector, in a second launch.
__global__ void normalize_scale_wide_loads(const float* x, const double* sum_of_squares, float* y, int size) {
  const double scale = *sum_of_squares == 0 ? 0 : 1 / sqrt(*sum_of_squares);
  const float4* const vectors = reinterpret_cast<const float4*>(x);
  float4* const scaled = reinterpret_cast<float4*>(y);
  const int stride = gridDim.x * blockDim.x;
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = first; i < size / 4; i += stride) scaled[i] = scale_vector(vectors[i], scale);
  const int leftover = size / 4 * 4 + first;
  if (leftover < size) y[leftover] = x[leftover] * scale;
}

// The same sum, but the last block to finish works out the scale, once for all threads of the second kernel (see
// NVIDIA's sample threadFenceReduction). It also sets both variables back to zero for the next launch, so no
// third launch has to clear them.
__global__ void normalize_sum_and_finish(const float* x, double* sum_of_squares, int* blocks_done,
                                         double* scale, int size) {
  double sum = block_sum(thread_sum(x, size));
  if (threadIdx.x > 0) return;
  atomicAdd(sum_of_squares, sum);
  __threadfence();  // no block counts as done before its sum is there
  if (atomicAdd(blocks_done, 1) < gridDim.x - 1) return;
  sum = __ldcg(sum_of_squares);  // from the L2 cache, where the atomics work
  *scale = sum == 0 ? 0 : 1 / sqrt(sum);
  *sum_of_squares = 0;
  *blocks_done = 0;
}

// Each thread does one load and one store and ends: blocks begin in order, and none drifts away from the
// others. The first block takes the end of x, which the sum has read last: part of it is still in the L2
// cache.
__global__ void normalize_scale_backwards(const float* x, const double* scale, float* y, int size) {
  const int item = (gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x;
  const int vector_count = size / 4;
  const double factor = *scale;
  if (item < vector_count) {
    reinterpret_cast<float4*>(y)[item] = scale_vector(reinterpret_cast<const float4*>(x)[item], factor);
  } else if (item == vector_count) {
    for (int i = 4 * vector_count; i < size; ++i) y[i] = x[i] * factor;
  }
}

// A grid barrier, as grid.sync() in cooperative groups: no block goes on before the last one has come here.
// Together they add 2^31 to arrived, so its sign changes when all have added their part, and it is ready for
// the next launch. All blocks have to run at once: a cooperative launch.
__device__ void grid_barrier(int* arrived) {
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

// Dynamic scheduling: blocks take the tiles of an array in order. A block's first tile is the one with its
// number. For each further one, thread 0 takes a ticket from a counter. The ticket is in flight while the
// thread does something else.
struct TileQueue {
  int* taken;
  int count;

  __device__ int take_ticket() const { return atomicAdd(taken, 1); }

  // Returns the tile of a ticket. Blocks draw one ticket for each tile that they take: the last resets the counter.
  __device__ int tile_of(int ticket) const {
    if (ticket == count - 1) atomicExch(taken, 0);
    return gridDim.x + ticket;
  }
};

constexpr int threads = 768;     // of a block
constexpr int blocks_per_multiprocessor = 2;
constexpr int vectors_kept = 8;  // of each thread, on the chip
constexpr int sum_loads = 4;     // of each thread, for a tile that is summed up
constexpr int scale_loads = 2;   // of each thread, for a tile that is scaled

// Loads the vectors of a thread in a tile of x that is scaled. Nothing is loaded past the end.
__device__ void load_tile(float4 (&tile)[scale_loads], const float4* vectors, int first, int vector_count) {
  for (int k = 0; k < scale_loads; ++k)
    if (first + k * threads < vector_count) tile[k] = vectors[first + k * threads];
}

// One launch for both passes, a persistent kernel. Its second pass fetches less of x again, for two reasons. First,
// the eight vectors that a thread reads first stay in shared memory: 19 % of 2^25 elements on 132 multiprocessors.
// Second, it scales the others from the end of x back, as those that were read last are still in the L2 cache.
// Both passes take tiles in order. If each block had its own part of x, fast blocks would run ahead, and memory would
// serve many places at once, which is 5 % slower. Double buffering: the next tile is in flight while one is stored.
// Expects as many blocks as fit at once, but at most 768, each of 768 threads and with 98 304 bytes of shared
// memory.
__global__ void __launch_bounds__(threads, blocks_per_multiprocessor)
    normalize_on_chip(const float* x, double* sums_of_blocks, int* arrived, int* tiles_taken, float* y,
                      int size) {
  extern __shared__ __align__(16) float4 kept[];
  __shared__ double scale;
  __shared__ int next_tile[2];  // double-buffered, so one barrier for each tile is enough
  const float4* const vectors = reinterpret_cast<const float4*>(x);
  float4* const scaled = reinterpret_cast<float4*>(y);
  const int thread = threadIdx.x, stride = gridDim.x * threads, vector_count = size / 4;
  const int first = blockIdx.x * threads + thread;
  const int kept_end = vectors_kept * stride, not_kept = max(vector_count - kept_end, 0);
  double sum = 0;
  for (int i = first, slot = thread; i < min(kept_end, vector_count); i += stride, slot += threads) {
    kept[slot] = __ldcs(&vectors[i]);
    sum += squared_norm(kept[slot]);
  }
  const TileQueue to_sum{&tiles_taken[0], (not_kept + sum_loads * threads - 1) / (sum_loads * threads)};
  for (int tile = blockIdx.x, stage = 0; tile < to_sum.count; stage ^= 1) {
    const int ticket = thread == 0 ? to_sum.take_ticket() : 0;
    const int from = kept_end + tile * sum_loads * threads + thread;
    float4 loaded[sum_loads];
    for (int k = 0; k < sum_loads; ++k)
      loaded[k] = from + k * threads < vector_count ? vectors[from + k * threads] : make_float4(0, 0, 0, 0);
    for (int k = 0; k < sum_loads; ++k) sum += squared_norm(loaded[k]);
    if (thread == 0) next_tile[stage] = to_sum.tile_of(ticket);
    __syncthreads();
    tile = next_tile[stage];
  }
  const int leftover = 4 * vector_count + first;  // at most three elements do not fill a load
  if (leftover < size) sum += static_cast<double>(x[leftover]) * x[leftover];

  sum = block_sum(sum);
  if (thread == 0) sums_of_blocks[blockIdx.x] = sum;
  grid_barrier(arrived);
  sum = block_sum(thread < gridDim.x ? __ldcg(&sums_of_blocks[thread]) : 0);
  if (thread == 0) scale = sum == 0 ? 0 : 1 / sqrt(sum);

  // Tile 0 is at the end of x.
  const TileQueue to_scale{&tiles_taken[1], (not_kept + scale_loads * threads - 1) / (scale_loads * threads)};
  const int last = kept_end + (to_scale.count - 1) * scale_loads * threads + thread;
  int tile = blockIdx.x, stage = 0;
  float4 prefetched[scale_loads];
  if (tile < to_scale.count) {
    load_tile(prefetched, vectors, last - tile * scale_loads * threads, vector_count);
    if (thread == 0) next_tile[stage] = to_scale.tile_of(to_scale.take_ticket());
  }
  __syncthreads();
  const double factor = scale;
  while (tile < to_scale.count) {
    const int to = last - tile * scale_loads * threads;
    tile = next_tile[stage];
    stage ^= 1;  // next_tile has two slots: one is read, then the other is set
    const bool takes_ticket = thread == 0 && tile < to_scale.count;
    const int ticket = takes_ticket ? to_scale.take_ticket() : 0;
    float4 current[scale_loads];
    for (int k = 0; k < scale_loads; ++k) current[k] = prefetched[k];
    load_tile(prefetched, vectors, last - tile * scale_loads * threads,
              tile < to_scale.count ? vector_count : 0);
    for (int k = 0; k < scale_loads; ++k)
      if (to + k * threads < vector_count) scaled[to + k * threads] = scale_vector(current[k], factor);
    if (takes_ticket) next_tile[stage] = to_scale.tile_of(ticket);
    __syncthreads();
  }
  for (int i = first, slot = thread; i < min(kept_end, vector_count); i += stride, slot += threads)
    __stcs(&scaled[i], scale_vector(kept[slot], factor));
  if (leftover < size) y[leftover] = x[leftover] * factor;
}
