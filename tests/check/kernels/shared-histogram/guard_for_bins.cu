// expect: too-few: takes counts[threadIdx.x] only in threads with i < size, so the last block leaves out
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  if (i < size) atomicAdd(&counts[input[i]], 1);
  __syncthreads();
  if (i < size) atomicAdd(&output[threadIdx.x], counts[threadIdx.x]);  // here
}
