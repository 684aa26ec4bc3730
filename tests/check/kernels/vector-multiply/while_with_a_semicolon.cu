// expect: stray-semicolon: the while in line 4 ends at the semicolon after its )
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  while (i < size); {
    C[i] = A[i] * B[i];
  }
}
