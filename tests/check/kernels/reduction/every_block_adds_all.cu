// expect: repeated-work: begins at the same element in every block
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  float sum = 0;
  for (int i = threadIdx.x; i < size; i += blockDim.x)  // here
    sum += input[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int h = blockDim.x / 2; h > 0; h /= 2) {
    if (threadIdx.x < h) sums[threadIdx.x] += sums[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}
