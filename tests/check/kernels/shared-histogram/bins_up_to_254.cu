// expect: unwritten-tail: changing 'bin < 255' in line 10
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) atomicAdd(&counts[input[item]], 1);
  __syncthreads();
  if (threadIdx.x == 0)
    for (int bin = 0; bin < 255; ++bin) atomicAdd(&output[bin], counts[bin]);  // here
}
