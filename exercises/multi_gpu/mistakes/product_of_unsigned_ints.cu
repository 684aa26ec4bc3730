// expect: int-overflow
// sizes: from 2^32 / ranks on

// An unsigned int holds twice as much.
__global__ void count_part(const int* input, int* output, int size, int rank, int ranks) {
  const unsigned first = (unsigned)size * rank / ranks;
  const unsigned next = (unsigned)size * (rank + 1) / ranks;
  const int items = next - first;

  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < items) atomicAdd(&counts[input[item]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&output[bin], counts[bin]);
}
