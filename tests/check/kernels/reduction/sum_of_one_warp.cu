// expect: skipped-elements: without the elements beyond the first 32 of every block of 256
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride) sum += input[i];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffff, sum, lanes);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}
