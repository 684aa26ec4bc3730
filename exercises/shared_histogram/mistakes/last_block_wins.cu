// expect: too-few
// sizes: from about a thousand elements on
// also: race-global, skipped-elements
// because: atomicExch() replaces what the blocks before have added to the output.

// Blocks meet at the output, so this has to be atomic.
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) atomicAdd(&counts[input[item]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
    if (counts[bin] > 0) atomicExch(&output[bin], counts[bin]);
  }
}
