// expect: race-global
// also: skipped-elements
// because: All threads of a block store in the same place, each its own element of sums.

// The tree, and then the result of the block.
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) sum += input[item];
  sums[threadIdx.x] = sum;
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
  }
  partials[blockIdx.x] = sums[threadIdx.x];
}
