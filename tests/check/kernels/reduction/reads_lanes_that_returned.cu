// expect: wrong-mask: lanes 24 to 31 of the mask 0xffffffff have ended): such a value is undefined, and what is stored in line 14 depends
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) sum += input[item];
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x >= 24) return;
  sum = 0;
  for (int i = threadIdx.x; i < blockDim.x; i += 24) sum += sums[i];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, offset);  // here
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}
