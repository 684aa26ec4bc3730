// expect: second-variable: declares a second 'sum', which ends with its statement
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride)
    sum += input[i];
  sums[threadIdx.x] = sum;
  int half;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) int sum = sums[threadIdx.x + half];  // here
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}
