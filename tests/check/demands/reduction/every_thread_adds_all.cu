// expect: right: shared loads for 2 048 work items, and the whole kernel of the course accesses memory
__global__ void reduction_sequential(const float* input, float* partials, int size) {
  __shared__ float sums[1024];
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) sum += input[item];
  sums[threadIdx.x] = sum;
  __syncthreads();
  float s = 0;
  for (int i = 0; i < blockDim.x; ++i) s += sums[i];
  if (threadIdx.x == 0) partials[blockIdx.x] = s;
}
