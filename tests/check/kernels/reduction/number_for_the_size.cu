// expect: constant-for-size: line 6 has the number 10 000, and nothing uses size
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < 10000; item += stride) sum += input[item];  // here
  sums[threadIdx.x] = sum;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}
