// expect: parts-overlap
// sizes: those that the ranks do not divide evenly

// All ranks have as many, and the last one has what is left.
__global__ void count_part(const int* input, int* output, int size, int rank, int ranks) {
  const int part = (size + ranks - 1) / ranks;
  const int items = min(part, size - rank * part);

  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < items) atomicAdd(&counts[input[item]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&output[bin], counts[bin]);
}
