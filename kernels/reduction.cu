// partials[b] = the sum of the elements that block b reads; launched again over the partials until one is left
//
// The trees in shared memory expect a block of a power of two threads, at most 1024. The shuffles expect whole warps.

// A tree reduction with one element per thread: every second thread adds its neighbour's sum, then every fourth, and so
// on. After the first step half of the threads have nothing left to do.
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

// Grid-stride loop: returns the thread's own sum of the elements one whole grid apart, for any size. From here on every
// kernel begins with this. Each thread adds several elements before the tree begins: thread coarsening.
__device__ float thread_sum(const float* input, int size) {
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) sum += input[item];
  return sum;
}

// The same tree over the threads' sums. The threads that still work are spread over all warps, so there is divergence:
// each warp runs every step, with fewer and fewer active lanes.
__global__ void reduction_interleaved(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  sums[threadIdx.x] = thread_sum(input, size);
  for (int s = 1; s < blockDim.x; s *= 2) {
    __syncthreads();
    if (threadIdx.x % (2 * s) == 0) sums[threadIdx.x] += sums[threadIdx.x + s];
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}

// Neighbouring threads work, so that whole warps finish. But they read words 2 * s apart: bank conflicts. In a block of
// 256 threads, up to 8 lanes meet in one bank.
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
// The threads that work are neighbours, and so are the words they read: no divergence, and no bank conflicts.
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

// The last warp: when 32 sums are left, one warp adds them by shuffles, and the last five steps need no barrier.
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

// Warp shuffles in every warp, then in the first warp: one barrier in all, not one for each step.
__global__ void reduction_shuffle(const float* input, float* partials, int size) {
  const float sum = block_sum(thread_sum(input, size));
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

// Every block adds its sum to the one result, which is zero before the launch. No second launch is needed. Blocks come
// in any order, so the last digits differ from run to run.
__global__ void reduction_block_atomic(const float* input, float* output, int size) {
  const float sum = block_sum(thread_sum(input, size));
  if (threadIdx.x == 0) atomicAdd(output, sum);
}
