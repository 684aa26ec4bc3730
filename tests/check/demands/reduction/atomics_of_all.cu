// expect: right: the lanes of a warp wait for each other at one address
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float total;
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride) sum += input[i];
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, sum);
  __syncthreads();
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
