// expect: race-global
// sizes: never (on a GPU it is right by chance, wherever the atomics are those of the device)
// because: atomicAdd_block() is atomic among the threads of one block, but all blocks add to the output.

// Atomics of the block are enough for the bins of the block.
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) atomicAdd_block(&counts[input[item]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd_block(&output[bin], counts[bin]);
}
