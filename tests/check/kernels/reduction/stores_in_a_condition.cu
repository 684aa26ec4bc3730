// expect: equals-sign: the condition in line 10 stores with =
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) sum += input[item];
  sums[threadIdx.x] = sum;
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    __syncthreads();
    if (s = threadIdx.x) sums[threadIdx.x] += sums[threadIdx.x + s];  // here
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}
