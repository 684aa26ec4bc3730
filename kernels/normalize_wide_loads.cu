// y[i] = x[i] / |x|, where |x|^2 is the sum of x[i]^2, for i in [0, size)
//
// All kernels load and store 16 bytes at a time. They expect arrays that are aligned to 16 bytes.

// Lane 0 gets the sum of its warp, from register to register.
__device__ double sum_of_warp(double sum) {
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffff, sum, lanes);
  return sum;
}

// Thread 0 gets the sum of its block: one sum of each warp goes through shared memory, and the first warp adds those.
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

// The same sum. The block that is done last works out the scale, once for all threads of the second kernel. It also
// sets both variables back to zero for the next launch, so no third launch has to clear them.
__global__ void normalize_sum_and_finish(const float* x, double* sum_of_squares, int* blocks_done, double* scale,
                                         int size) {
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

// Each thread does one load and one store and ends: blocks begin in order, and none drifts away from the others. The
// first block takes the end of x, which the sum has read last: part of it is still in the L2 cache.
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

// No block goes on before the last one has come here. Each adds its part of 2^31 to arrived, so the sign changes
// when all have added theirs, and arrived is ready for the next launch. All blocks have to run at once: a
// cooperative launch.
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

// One launch for both passes. The six rows of fours that each block reads first stay on the chip, in shared memory,
// where nothing can push them out. Of the others, the last that were read are still in the L2 cache and are scaled
// first. So less of x is fetched a second time: 19 % of 2^25 elements fit into the shared memory of 132
// multiprocessors. Expects as many blocks as fit at once, but not more than a block has threads, and 96 bytes of shared
// memory for each thread.
__global__ void __launch_bounds__(1024, 2)
    normalize_on_chip(const float* x, double* sums_of_blocks, int* arrived, float* y, int size) {
  constexpr int rows_kept = 6;
  extern __shared__ __align__(16) float4 kept[];
  __shared__ double scale;
  const float4* const fours = reinterpret_cast<const float4*>(x);
  float4* const scaled = reinterpret_cast<float4*>(y);
  const int stride = gridDim.x * blockDim.x;
  const int first = blockIdx.x * blockDim.x + threadIdx.x, others = first + rows_kept * stride;
  double sum = 0;
  for (int i = first, place = threadIdx.x; i < min(others, size / 4); i += stride, place += blockDim.x) {
    kept[place] = __ldcs(&fours[i]);
    sum += sum_of_four_squares(kept[place]);
  }
  int i = others;
#pragma unroll 4
  for (; i < size / 4; i += stride) {
    const float4 four = fours[i];
    sum += sum_of_four_squares(four);
  }
  const int left = size / 4 * 4 + first;  // at most three elements do not fill a load
  if (left < size) sum += static_cast<double>(x[left]) * x[left];

  sum = sum_of_block(sum);
  if (threadIdx.x == 0) sums_of_blocks[blockIdx.x] = sum;
  wait_for_all_blocks(arrived);
  sum = sum_of_block(threadIdx.x < gridDim.x ? __ldcg(&sums_of_blocks[threadIdx.x]) : 0);
  if (threadIdx.x == 0) scale = sum == 0 ? 0 : 1 / sqrt(sum);
  __syncthreads();

  const double factor = scale;
#pragma unroll 4
  for (i -= stride; i >= others; i -= stride) __stcs(&scaled[i], four_times(__ldcs(&fours[i]), factor));
  for (i = first; i < min(others, size / 4); i += stride)
    __stcs(&scaled[i], four_times(kept[i / stride * blockDim.x + threadIdx.x], factor));
  if (left < size) y[left] = x[left] * factor;
}
