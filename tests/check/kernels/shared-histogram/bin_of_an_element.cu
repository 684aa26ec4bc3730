// expect: wrong-values: changing 'input[bin]' in line 10
// The first barrier waits until all bins are zero, the second until all threads have counted.
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) atomicAdd(&counts[input[item]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&output[input[bin]], counts[bin]);
}
