// expect: copy-size: line 5 gives memcpy size, and memcpy counts bytes
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size)
    memcpy(C, A, size);
}
