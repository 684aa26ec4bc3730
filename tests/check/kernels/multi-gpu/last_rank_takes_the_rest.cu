// expect: out-of-bounds-read: with the 'items' of line 3, line 9 lets threads through
__global__ void count_part(const int* input, int* output, int size, int rank, int ranks) {
  const int items = rank == ranks - 1 ? size - size / ranks * (ranks - 1) : size / ranks;

  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < items) atomicAdd(&counts[input[item]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
    atomicAdd(&output[bin], counts[bin]);
}
