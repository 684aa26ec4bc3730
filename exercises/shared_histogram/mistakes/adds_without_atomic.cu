// expect: race-global-update
// sizes: more than 256 elements, one block
// because: All blocks add to the same 256 counters of the output, and += is not an atomic operation.

// Each thread adds one bin, so no two threads meet.
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) atomicAdd(&counts[input[item]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) output[bin] += counts[bin];
}
