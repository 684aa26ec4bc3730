// expect: divergent-barrier
// sizes: not a multiple of 256
// because: In the last block, threads without an element go past the barrier that the others wait at.

// Count, and wait for the others that count.
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    atomicAdd(&counts[input[item]], 1);
    __syncthreads();
  }
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&output[bin], counts[bin]);
}
