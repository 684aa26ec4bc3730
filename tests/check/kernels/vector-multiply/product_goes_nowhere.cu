// expect: equals-sign: line 6 computes p * B[i], and stores it nowhere
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) {
    float p = A[i];
    p * B[i];
    C[i] = p;
  }
}
