// expect: pass
// because: Counting down is an atomic too, and subtracting what is negative adds it.
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  if (item < size) atomicSub(&counts[input[item]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
    if (counts[bin] != 0) atomicSub(&output[bin], counts[bin]);
}
