// partials[b] = the sum of what block b takes of input; launched again over the partials until one is left
//
// The trees in shared memory expect a block of a power of two threads, at most 1024. The shuffles expect whole warps.

// Every kernel begins with this: the thread's own sum of the elements one whole grid apart, for any size.
__device__ float sum_of_own(const float* input, int size) {
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) sum += input[item];
  return sum;
}

// A tree: every second thread adds its neighbour's sum, then every fourth, and so on. The threads that still work are
// spread over all warps, so each warp runs every step with fewer and fewer of its lanes.
__global__ void reduction_interleaved(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  sums[threadIdx.x] = sum_of_own(input, size);
  for (int s = 1; s < blockDim.x; s *= 2) {
    __syncthreads();
    if (threadIdx.x % (2 * s) == 0) sums[threadIdx.x] += sums[threadIdx.x + s];
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}

// The same tree the other way round: the first half of the threads adds the sums of the second half. The threads that
// work are neighbours, and so are the words they read. Whole warps have nothing left to do.
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  sums[threadIdx.x] = sum_of_own(input, size);
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}

// The same without the barrier. A warp adds sums that another has not stored yet.
__global__ void reduction_missing_barrier(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  sums[threadIdx.x] = sum_of_own(input, size);
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}

// Lane 0 gets the sum of its warp. The values move from register to register: no shared memory, no barrier.
__device__ float sum_of_warp(float sum) {
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffff, sum, lanes);
  return sum;
}

// Thread 0 gets the sum of its block: one sum of each warp goes through shared memory, and the first warp adds those.
__device__ float sum_of_block(float sum) {
  __shared__ float sums[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  sum = sum_of_warp(sum);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  if (warp == 0) sum = sum_of_warp(lane < blockDim.x / 32 ? sums[lane] : 0);
  return sum;
}

// Shuffles within each warp, then within the first warp: one barrier in all, not one for each step.
__global__ void reduction_shuffle(const float* input, float* partials, int size) {
  const float sum = sum_of_block(sum_of_own(input, size));
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

// Every block adds its sum to the one result, which is zero before the launch. No second launch is needed. Blocks come
// in any order, so the last digits differ from run to run.
__global__ void reduction_block_atomic(const float* input, float* output, int size) {
  const float sum = sum_of_block(sum_of_own(input, size));
  if (threadIdx.x == 0) atomicAdd(output, sum);
}
