// expect: missing-semicolon: line 4 lacks a semicolon after return
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return
    C[i] = A[i] * B[i];
}
