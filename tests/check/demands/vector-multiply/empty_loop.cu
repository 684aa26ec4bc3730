// expect: right: the loop in line 4 does nothing
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 10; k++);
  if (i < size) C[i] = A[i] * B[i];
}
