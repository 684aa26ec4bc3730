// expect: unknown-name
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  if (i < size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    C[i] = A[i] * B[i];
  }
}
