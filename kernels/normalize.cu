// y[i] = x[i] / |x|, where |x|^2 is the sum of x[i]^2, for i in [0, size); sum_of_squares is zero before the launch

// Returns the thread's part of the sum: a grid-stride loop over the squares. The square of a float can be too large or
// too small for a float. In a double it never is, and it is exact.
__device__ double thread_sum(const float* x, int size) {
  double sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) {
    const double value = x[item];
    sum += value * value;
  }
  return sum;
}

// A tree reduction in shared memory. Every thread leaves the sum of its part of the vector there, and the threads of
// the block add the sums. Expects a block of a power of two threads, at most 1024.
__global__ void normalize_sum_shared(const float* x, double* sum_of_squares, int size) {
  __shared__ double sums[1024];
  sums[threadIdx.x] = thread_sum(x, size);
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
  }
  if (threadIdx.x == 0) atomicAdd(sum_of_squares, sums[0]);
}

// Lane 0 gets the sum of its warp: a tree reduction with warp shuffles, from register to register.
__device__ double warp_sum(double sum) {
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  return sum;
}

// Thread 0 gets the sum of its block: one sum of each warp goes through shared memory, and the first warp adds those.
__device__ double block_sum(double sum) {
  __shared__ double sums[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  sum = warp_sum(sum);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  if (warp == 0) sum = warp_sum(lane < blockDim.x / 32 ? sums[lane] : 0);
  return sum;
}

// The same sum with warp shuffles. Only one barrier is left. Expects blocks of whole warps.
__global__ void normalize_sum_shuffle(const float* x, double* sum_of_squares, int size) {
  const double sum = block_sum(thread_sum(x, size));
  if (threadIdx.x == 0) atomicAdd(sum_of_squares, sum);
}

// A separate kernel, because no block may scale before the last one has added its sum. The zero vector has no
// direction and stays zero. An infinity in x becomes inf / inf, not a number, and the finite elements become 0. A NaN
// makes every element NaN.
__global__ void normalize_scale(const float* x, const double* sum_of_squares, float* y, int size) {
  const double scale = *sum_of_squares == 0 ? 0 : 1 / sqrt(*sum_of_squares);
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride)
    y[item] = x[item] * scale;
}
