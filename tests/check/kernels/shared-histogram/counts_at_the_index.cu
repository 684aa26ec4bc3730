// expect: input-index: the bin is the value input[item]
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size)
    atomicAdd(&counts[item], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
    atomicAdd(&output[bin], counts[bin]);
}
