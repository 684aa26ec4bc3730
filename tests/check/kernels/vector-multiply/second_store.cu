// expect: wrong-values: leaving out 'C[i] = A[i] * 1.7f - B[i] * B[i] + 0.3f' in line 7
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) {
    C[i] = A[i] * B[i];
    if (i % 7 == 3)
      C[i] = A[i] * 1.7f - B[i] * B[i] + 0.3f;  // here
  }
}
