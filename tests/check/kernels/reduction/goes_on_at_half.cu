// expect: race-shared-line: both threads go on after 'if (threadIdx.x > half)' in line 9
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  sums[threadIdx.x] = item < size ? input[item] : 0.0f;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x > half) continue;
    sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}
