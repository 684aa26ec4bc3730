// expect: sizeof-pointer: line 3 takes the sizeof of 'A', a pointer: that is 8 bytes
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  const int n = sizeof(A) / sizeof(A[0]);  // here
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) C[i] = A[i] * B[i];
}
