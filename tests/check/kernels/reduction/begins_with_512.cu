// expect: uninitialised-shared: the loop in line 9 begins with half = 512, and half of the 256 threads of a block are
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride)
    sum += input[i];
  sums[threadIdx.x] = sum;
  for (int half = 512; half > 0; half /= 2) {  // here
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}
