// expect: type-limit
// sizes: 65 536 elements in one bin
// also: skipped-elements, race-global
// because: Behind each addition, only 16 bits of the counter stay: 65 536 becomes 0.

// Counts of 16 bits begin at 0 again.
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) atomicAdd(&counts[input[item]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
    atomicAdd(&output[bin], counts[bin]);
    atomicAnd(&output[bin], 0xffff);
  }
}
