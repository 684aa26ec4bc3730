// expect: race-shared-update
// sizes: from a few dozen elements on, if two in a block are equal
// because: Threads of a block with the same value read, add and store one counter at the same time.

// Shared memory is the block's own, so plain counting will do.
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) counts[input[item]] += 1;
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&output[bin], counts[bin]);
}
