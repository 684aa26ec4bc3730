// expect: right: 'is_last' is never set before line 12 reads it: on a GPU it may hold anything
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  bool is_last;
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) sum += input[item];
  sums[threadIdx.x] = sum;
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
    if (is_last && s < 0) partials[0] = 0;
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}
