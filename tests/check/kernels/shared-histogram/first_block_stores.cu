// expect: skipped-elements: line 9 lets only block 0 through
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  counts[threadIdx.x] = 0;
  __syncthreads();
  for (int j = i; j < size; j += blockDim.x * gridDim.x) atomicAdd(&counts[input[j]], 1);
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x < 256) output[threadIdx.x] = counts[threadIdx.x];  // here
}
