// expect: deadlock
// because: The mask names 32 lanes, and the condition lets 16 of them come to the shuffle.

// The tree down to one warp, which adds up by shuffles. Then all wait for the result.
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) sum += input[item];
  sums[threadIdx.x] = sum;
  for (int s = blockDim.x / 2; s >= 32; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
  }
  __syncthreads();
  sum = threadIdx.x < 32 ? sums[threadIdx.x] : 0;
  if (threadIdx.x < 16) {
    for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffff, sum, lanes);
  }
  __syncthreads();
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}
