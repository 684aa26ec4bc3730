// expect: repeated-work: the loop in line 4 does not advance by a whole grid
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (; i < size; i += blockDim.x) C[i] = A[i] * B[i];  // here
}
