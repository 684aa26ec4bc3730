// expect: inverted-condition: line 4 lets i > size through
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (size < i) C[i] = A[i] * B[i];
}
