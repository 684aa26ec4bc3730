// expect: repeated-work: the loop in line 4 does not advance by a whole grid
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  while (i < size) {  // here
    C[i] = A[i] * B[i];
    i += blockDim.x;
  }
}
