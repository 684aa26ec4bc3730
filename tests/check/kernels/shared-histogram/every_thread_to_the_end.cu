// expect: repeated-work: the loop in line 7 begins at the thread's own element and advances by 1
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = item; i < size; i++) atomicAdd(&counts[input[i]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&output[bin], counts[bin]);
}
