// expect: endless-wait
// sizes: more than one block
// also: race-global
// because: The first block takes the lock and never stores 0 in it again, so the next one waits for ever.

// The block takes the lock, so that nobody comes between its additions.
__device__ int lock;

__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) atomicAdd(&counts[input[item]], 1);
  __syncthreads();
  if (threadIdx.x != 0) return;
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence();
  for (int bin = 0; bin < 256; ++bin) output[bin] += counts[bin];
}
