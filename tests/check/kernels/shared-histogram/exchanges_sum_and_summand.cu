// expect: still-zero: the first argument is the sum
__global__ void histogram_shared(const int* input, int* output, int size) {
  __shared__ int counts[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  counts[threadIdx.x] = 0;
  __syncthreads();
  if (i < size) atomicAdd(&counts[input[i]], 1);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], output[threadIdx.x]);  // here
}
