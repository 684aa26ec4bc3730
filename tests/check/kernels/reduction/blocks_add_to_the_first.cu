// expect: race-global-index: each block has an element of its own, partials[blockIdx.x]
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride)
    sum += input[i];
  sums[threadIdx.x] = sum;
  for (int h = blockDim.x / 2; h > 0; h /= 2) {
    __syncthreads();
    if (threadIdx.x < h) sums[threadIdx.x] += sums[threadIdx.x + h];
  }
  if (threadIdx.x == 0) partials[0] += sums[0];  // here
}
