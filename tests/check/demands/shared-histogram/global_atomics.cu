// expect: right: no thread accesses shared memory
__global__ void histogram_shared(const int* input, int* output, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) atomicAdd(&output[input[i]], 1);
}
