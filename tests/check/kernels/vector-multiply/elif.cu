// expect: unknown-name
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x;
  if (i < 3) x = 2;
  elif (i < 4) x = 3;
  if (i < size) C[i] = A[i] * B[i];
}
