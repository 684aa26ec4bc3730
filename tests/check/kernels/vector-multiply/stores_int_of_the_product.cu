// expect: whole-numbers: line 4 casts the value to int
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) C[i] = int(A[i] * B[i]);
}
