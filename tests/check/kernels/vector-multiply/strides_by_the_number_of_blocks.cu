// expect: repeated-work: the loop in line 3 does not advance by a whole grid
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x) C[i] = A[i] * B[i];  // here
}
