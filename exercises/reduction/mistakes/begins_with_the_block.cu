// expect: uninitialised-shared
// because: In the first iteration thread t adds sums[t + blockDim.x], and no thread stores anything there.

// From all threads of the block down to one.
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) sum += input[item];
  sums[threadIdx.x] = sum;
  for (int s = blockDim.x; s > 0; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}
