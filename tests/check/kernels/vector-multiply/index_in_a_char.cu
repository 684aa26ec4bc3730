// expect: type-limit: line 3 keeps the index in a char
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  const char i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) C[i] = A[i] * B[i];
}
