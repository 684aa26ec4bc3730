// expect: wrong-values: changing 'item' in line 10
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = item; i < size; i += gridDim.x * blockDim.x) sum += input[i];
  sums[threadIdx.x] = sum;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (item < half) sums[threadIdx.x] += sums[threadIdx.x + half];  // here
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}
