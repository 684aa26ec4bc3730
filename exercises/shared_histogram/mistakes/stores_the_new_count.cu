// expect: lost-updates
// sizes: two blocks at a time
// also: race-global, skipped-elements, wrong-summand
// because: Both operations are atomic, but another block can add between them, and its sum is replaced.

// Atomics keep the counts of other blocks.
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) atomicAdd(&counts[input[item]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
    const int before = atomicAdd(&output[bin], 0);
    atomicExch(&output[bin], before + counts[bin]);
  }
}
