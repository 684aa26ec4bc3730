// expect: wrong-index: line 3 begins after the whole grid
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockDim.x * gridDim.x + threadIdx.x;
  if (i < size) C[i] = A[i] * B[i];
}
