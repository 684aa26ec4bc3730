// expect: second-variable: line 7 declares a second 'sum', which hides that of line 4
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride) {
    float sum = 0;  // here
    sum += input[i];
  }
  sums[threadIdx.x] = sum;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}
