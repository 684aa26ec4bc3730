// expect: second-variable: and line 6 reads that of line 4, which has no value: leave out the type
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float p;
  if (i < size) { float p = A[i] * B[i]; }
  if (i < size) C[i] = p;
}
