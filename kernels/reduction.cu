// partials[b] = the sum of the elements that block b reads; launched again over the partials until one is left
//
// The trees in shared memory expect a block of a power of two threads, at most 1024. The shuffles expect whole warps.

// A tree reduction with one element per thread: every second thread adds its neighbour's sum, then every fourth, and so
// on: 8 steps for 256 sums. After the first step half of the threads are idle.
__global__ void reduction_one_element(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  sums[threadIdx.x] = item < size ? input[item] : 0;
  for (int s = 1; s < blockDim.x; s *= 2) {
    __syncthreads();
    if (threadIdx.x % (2 * s) == 0) sums[threadIdx.x] += sums[threadIdx.x + s];
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}

// Returns the thread's sum of elements that are one whole grid apart: a grid-stride loop, for any size. From here on
// every kernel begins with it. It is thread coarsening: with more elements per thread there are fewer trees.
__device__ float thread_sum(const float* input, int size) {
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) sum += input[item];
  return sum;
}

// Interleaved addressing: the same tree over the threads' sums. The threads that still work are spread over all warps:
// divergence. Each warp runs every step, with fewer and fewer active lanes, on average 5 of 32 for 256 threads.
__global__ void reduction_interleaved(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  sums[threadIdx.x] = thread_sum(input, size);
  for (int s = 1; s < blockDim.x; s *= 2) {
    __syncthreads();
    if (threadIdx.x % (2 * s) == 0) sums[threadIdx.x] += sums[threadIdx.x + s];
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}

// No divergence: neighbouring threads work, so whole warps finish, and 21 of 32 lanes are active. But they read words
// 2 * s apart: bank conflicts, for 256 threads up to 8 passes for a request, and on average 4.
__global__ void reduction_strided(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  sums[threadIdx.x] = thread_sum(input, size);
  for (int s = 1; s < blockDim.x; s *= 2) {
    __syncthreads();
    const int first = 2 * s * threadIdx.x;
    if (first < blockDim.x) sums[first] += sums[first + s];
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}

// Sequential addressing: the tree the other way round. The first half of the threads adds the sums of the second half.
// The threads that work are neighbours, and so are the words they read: no bank conflicts, 1 pass for each request.
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  sums[threadIdx.x] = thread_sum(input, size);
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}

// The same without the barrier. A warp adds sums that another has not stored yet.
__global__ void reduction_missing_barrier(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  sums[threadIdx.x] = thread_sum(input, size);
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}

// Returns the sum of a warp, in lane 0. Warp shuffles move the values from register to register: no shared memory, no
// barrier.
__device__ float warp_sum(float sum) {
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  return sum;
}

// Warp shuffles in the last warp: it adds the last 32 sums without a barrier. 256 threads need 3 barriers, not 8.
__global__ void reduction_last_warp(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  sums[threadIdx.x] = thread_sum(input, size);
  for (int s = blockDim.x / 2; s >= 32; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
  }
  if (threadIdx.x >= 32) return;  // from here on, a lane reads only what it wrote itself
  const float sum = warp_sum(sums[threadIdx.x]);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

// Returns the sum of a block, in thread 0: one sum of each warp goes through shared memory, and the first warp adds
// those.
__device__ float block_sum(float sum) {
  __shared__ float sums[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  sum = warp_sum(sum);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  if (warp == 0) sum = warp_sum(lane < blockDim.x / 32 ? sums[lane] : 0);
  return sum;
}

// Warp shuffles in every warp, then in the first warp: one barrier in all, and one word of shared memory per warp.
__global__ void reduction_shuffle(const float* input, float* partials, int size) {
  const float sum = block_sum(thread_sum(input, size));
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

// One launch: every block adds its sum to the result, zero before the launch, by an atomic. No launch has to add up
// the sums of blocks. Blocks come in any order, so the last digits differ from run to run.
__global__ void reduction_block_atomic(const float* input, float* output, int size) {
  const float sum = block_sum(thread_sum(input, size));
  if (threadIdx.x == 0) atomicAdd(output, sum);
}
