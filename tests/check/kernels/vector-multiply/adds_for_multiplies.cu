// expect: wrong-formula: changing '+' in line 5 makes the kernel right
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size)
    C[i] = A[i] + B[i];
}
