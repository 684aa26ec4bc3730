// output = the sum of input
//
// Both kernels use vectorised loads, of 16 bytes. They expect an input that is aligned to 16 bytes, and blocks
// of whole warps.

// Returns the sum of a warp, in lane 0, by warp shuffles: no shared memory, no barrier.
template <class Number>
__device__ Number warp_sum(Number sum) {
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  return sum;
}

// Returns the sum of a block, in thread 0: one sum of each warp goes through shared memory, and the first warp
// adds those.
template <class Number>
__device__ Number block_sum(Number sum) {
  __shared__ Number sums[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  sum = warp_sum(sum);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  if (warp == 0) sum = warp_sum(lane < blockDim.x / 32 ? sums[lane] : 0);
  return sum;
}

__device__ float sum_of_vector(float4 vector) {
  return (vector.x + vector.y) + (vector.z + vector.w);
}

__device__ float4 load_or_zero(const float4* vectors, int i, int count) {
  return i < count ? vectors[i] : make_float4(0, 0, 0, 0);
}

// Latency hiding by instruction-level parallelism: each thread has four vectorised loads in flight, 64 bytes
// instead of 4. There is a block for each tile of four loads per thread. Blocks begin in order, so memory is read
// from front to back. Every block adds its sum to the output, which is zero before the launch.
__global__ void reduction_wide_loads(const float* input, float* output, int size) {
  const float4* const vectors = reinterpret_cast<const float4*>(input);
  const int stride = blockDim.x, count = size / 4;
  const int i = blockIdx.x * 4 * stride + threadIdx.x;
  const float4 a = load_or_zero(vectors, i, count);
  const float4 b = load_or_zero(vectors, i + stride, count);
  const float4 c = load_or_zero(vectors, i + 2 * stride, count);
  const float4 d = load_or_zero(vectors, i + 3 * stride, count);
  float sum = (sum_of_vector(a) + sum_of_vector(b)) + (sum_of_vector(c) + sum_of_vector(d));
  const int leftover = 4 * count + blockIdx.x * stride + threadIdx.x;  // at most three do not fill a load
  if (leftover < size) sum += input[leftover];
  sum = block_sum(sum);
  if (threadIdx.x == 0) atomicAdd(output, sum);
}

// Sums in double, for accuracy. The significand of a float has 24 bits: if a thousand sums are added one after
// another, each addition may lose half a unit in the last place. Here only trees of 32 elements are added in
// float. The last block rounds the result, once, and resets both variables for the next launch.
//
// Dynamic tile scheduling: a block gets the number of its next tile, of eight loads per thread, from a counter
// in memory. So the tiles are read in order. With a fixed part for each block, fast blocks run ahead, and
// memory serves many places at once, which is slower. Expects blocks of 512 threads.
__global__ void __launch_bounds__(512)
    reduction_double(const float* input, double* sum_of_blocks, int* blocks_done, int* tiles_taken,
                     float* output, int size) {
  constexpr int block = 512, loads = 8;
  __shared__ int next_tile[2];
  const float4* const vectors = reinterpret_cast<const float4*>(input);
  const int count = size / 4, tiles = (count + loads * block - 1) / (loads * block);
  double sum = 0;
  for (int tile = blockIdx.x, stage = 0; tile < tiles; stage ^= 1) {
    int taken = 0;
    if (threadIdx.x == 0) taken = atomicAdd(tiles_taken, 1);  // in flight while the tile is added up
    float4 vector[loads];
    for (int k = 0; k < loads; ++k)
      vector[k] = load_or_zero(vectors, (tile * loads + k) * block + threadIdx.x, count);
    float sums[loads];
    for (int k = 0; k < loads; ++k) sums[k] = sum_of_vector(vector[k]);
    sum += ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    if (threadIdx.x == 0) {
      next_tile[stage] = gridDim.x + taken;
      if (taken == tiles - 1) atomicExch(tiles_taken, 0);  // the last request of this launch
    }
    __syncthreads();
    tile = next_tile[stage];
  }
  const int leftover = 4 * count + blockIdx.x * block + threadIdx.x;  // at most three elements do not fill a load
  if (leftover < size) sum += input[leftover];
  sum = block_sum(sum);
  if (threadIdx.x > 0) return;
  atomicAdd(sum_of_blocks, sum);
  __threadfence();  // no block counts as done before its sum is there
  if (atomicAdd(blocks_done, 1) < gridDim.x - 1) return;
  *output = __ldcg(sum_of_blocks);  // from the L2 cache, where the atomics work
  *sum_of_blocks = 0;
  *blocks_done = 0;
}
