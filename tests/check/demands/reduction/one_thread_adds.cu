// expect: right: one thread alone
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) sum += input[item];
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) { for (int i = 1; i < blockDim.x; ++i) sums[0] += sums[i]; partials[blockIdx.x] = sums[0]; }
}
