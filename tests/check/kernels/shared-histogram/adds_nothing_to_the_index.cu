// expect: time-limit: the loop in line 9 does not end: line 9 adds 0 to 'bin'
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) atomicAdd(&counts[input[item]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += 0) atomicAdd(&output[bin], counts[bin]);
}
