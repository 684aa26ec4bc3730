// expect: out-of-bounds-read

// A loop over all elements.
__global__ void count_part(const int* input, int* output, int size, int rank, int ranks) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += gridDim.x * blockDim.x)
    atomicAdd(&counts[input[item]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&output[bin], counts[bin]);
}
