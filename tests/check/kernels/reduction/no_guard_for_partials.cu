// expect: no-guard: nothing compares 'item' of line 6
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  sum = input[item];  // here
  sums[threadIdx.x] = sum;
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}
