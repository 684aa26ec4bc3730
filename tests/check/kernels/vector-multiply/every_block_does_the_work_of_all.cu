// expect: repeated-work: the loop in line 3 begins at the same element in every block
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  for (int i = threadIdx.x; i < size; i += blockDim.x) C[i] = A[i] * B[i];  // here
}
