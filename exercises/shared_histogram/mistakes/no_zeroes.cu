// expect: uninitialised-shared
// because: Shared memory holds anything at first: the counting begins from what happens to be there.

// Count in shared memory, then add up.
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) atomicAdd(&counts[input[item]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&output[bin], counts[bin]);
}
