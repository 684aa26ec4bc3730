// expect: repeated-work: begins at the same element in every thread, so each thread does the work of all
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) atomicAdd(&counts[input[i]], 1);
  __syncthreads();
  for (int bin = 0; bin < 256; bin++) atomicAdd(&output[bin], counts[bin]);
}
