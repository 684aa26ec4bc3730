// expect: doubled
// sizes: from a few different elements on
// because: Each element is counted in shared memory, which is added to the output, and in the output as well.

// Count here and there.
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    atomicAdd(&counts[input[item]], 1);
    atomicAdd(&output[input[item]], 1);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&output[bin], counts[bin]);
}
