// expect: repeated-work: the loop in line 3 begins and ends at the same element in every block
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  for (int i = threadIdx.x; i < blockDim.x; i++) C[i] = A[i] * B[i];  // here
}
