// expect: private-sum: line 10 adds to 'sum'
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) sum += input[item];
  sums[threadIdx.x] = sum;
  for (int h = blockDim.x / 2; h > 0; h /= 2) {
    __syncthreads();
    if (threadIdx.x < h) sum += sums[threadIdx.x + h];
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}
