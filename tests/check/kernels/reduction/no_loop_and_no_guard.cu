// expect: no-guard: nothing compares 'i' of line
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[threadIdx.x] = input[i];  // here
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}
