// expect: race-global
// sizes: from a few elements on
// also: part-of-rank

// The counts of this rank.
__device__ int first_of(int rank, int ranks, int size) {
  return static_cast<int>(static_cast<long long>(size) * rank / ranks);
}

__global__ void count_part(const int* input, int* output, int size, int rank, int ranks) {
  const int items = first_of(rank + 1, ranks, size) - first_of(rank, ranks, size);

  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < items) atomicAdd(&counts[input[item]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) output[bin] = counts[bin];
}
