// expect: skipped-elements
// sizes: from two elements on
// because: The iteration with s = 1 is missing, so sums[1] is never added to sums[0].

// Halve it until one is left.
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) sum += input[item];
  sums[threadIdx.x] = sum;
  for (int s = blockDim.x / 2; s > 1; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}
