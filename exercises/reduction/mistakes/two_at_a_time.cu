// expect: out-of-bounds-read
// sizes: not a multiple of twice the threads of the grid
// because: item is below size, but nobody has compared item + stride with it.

// Every thread fetches two elements at once, then the tree.
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += 2 * stride) {
    sum += input[item] + input[item + stride];
  }
  sums[threadIdx.x] = sum;
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}
