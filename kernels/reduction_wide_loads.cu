// output = the sum of input
//
// Both kernels load 16 bytes at a time. They expect an input that is aligned to 16 bytes, and blocks of whole
// warps.

// Lane 0 gets the sum of its warp. The values move from register to register: no shared memory, no barrier.
template <class Number>
__device__ Number sum_of_warp(Number sum) {
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffff, sum, lanes);
  return sum;
}

// Thread 0 gets the sum of its block: one sum of each warp goes through shared memory, and the first warp
// adds those.
template <class Number>
__device__ Number sum_of_block(Number sum) {
  __shared__ Number sums[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  sum = sum_of_warp(sum);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  if (warp == 0) sum = sum_of_warp(lane < blockDim.x / 32 ? sums[lane] : 0);
  return sum;
}

__device__ float sum_of_four(float4 four) {
  return (four.x + four.y) + (four.z + four.w);
}

// Four loads in flight per thread: while one sum waits for memory, enough others are on their way. Every
// block adds its sum to the output, which is zero before the launch.
__global__ void reduction_wide_loads(const float* input, float* output, int size) {
  const float4* const fours = reinterpret_cast<const float4*>(input);
  const int stride = gridDim.x * blockDim.x;
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  int i = first;
  for (; i < size / 4 - 3 * stride; i += 4 * stride) {
    const float4 a = fours[i];
    const float4 b = fours[i + stride];
    const float4 c = fours[i + 2 * stride];
    const float4 d = fours[i + 3 * stride];
    sum += (sum_of_four(a) + sum_of_four(b)) + (sum_of_four(c) + sum_of_four(d));
  }
  for (; i < size / 4; i += stride) {
    const float4 four = fours[i];
    sum += sum_of_four(four);
  }
  const int left = size / 4 * 4 + first;  // at most three elements do not fill a load
  if (left < size) sum += input[left];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) atomicAdd(output, sum);
}

__device__ float4 four_or_zero(const float4* fours, int i, int count) {
  return i < count ? fours[i] : make_float4(0, 0, 0, 0);
}

// The sums of threads and blocks are added in double. A float has 24 bits: if a thousand sums are added one
// after another, each addition may lose half a unit in the last place. Here only trees of 32 elements are
// added in float. The block that is done last rounds the result, once, and sets both variables back to zero
// for the next launch. A block takes one tile after another, eight loads per thread, and zeros past the end.
// It gets the number of its next tile from a counter in memory. So the tiles are read in order, as if each
// had a block of its own: with a fixed part for each block, fast blocks run ahead and memory serves many
// places at once, which is slower. Expects blocks of 512 threads.
__global__ void __launch_bounds__(512)
    reduction_double(const float* input, double* sum_of_blocks, int* blocks_done, int* tiles_taken,
                     float* output, int size) {
  constexpr int block = 512, loads = 8;
  __shared__ int next_tile[2];
  const float4* const fours = reinterpret_cast<const float4*>(input);
  const int count = size / 4, tiles = (count + loads * block - 1) / (loads * block);
  double sum = 0;
  for (int tile = blockIdx.x, turn = 0; tile < tiles; turn ^= 1) {
    int taken = 0;
    if (threadIdx.x == 0) taken = atomicAdd(tiles_taken, 1);  // on its way while the tile is added up
    float4 four[loads];
    for (int k = 0; k < loads; ++k)
      four[k] = four_or_zero(fours, (tile * loads + k) * block + threadIdx.x, count);
    float sums[loads];
    for (int k = 0; k < loads; ++k) sums[k] = sum_of_four(four[k]);
    sum += ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    if (threadIdx.x == 0) {
      next_tile[turn] = gridDim.x + taken;
      if (taken == tiles - 1) atomicExch(tiles_taken, 0);  // nobody asks again before the next launch
    }
    __syncthreads();
    tile = next_tile[turn];
  }
  const int left = 4 * count + blockIdx.x * block + threadIdx.x;  // at most three elements do not fill a load
  if (left < size) sum += input[left];
  sum = sum_of_block(sum);
  if (threadIdx.x > 0) return;
  atomicAdd(sum_of_blocks, sum);
  __threadfence();  // no block counts as done before its sum is there
  if (atomicAdd(blocks_done, 1) < gridDim.x - 1) return;
  *output = __ldcg(sum_of_blocks);  // from the cache that all blocks share, where the atomics work
  *sum_of_blocks = 0;
  *blocks_done = 0;
}
