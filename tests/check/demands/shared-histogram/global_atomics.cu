// expect: right: 2 048 atomics go to global memory for 2 048 elements
__global__ void histogram_shared(const int* input, int* output, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) atomicAdd(&output[input[i]], 1);
}
