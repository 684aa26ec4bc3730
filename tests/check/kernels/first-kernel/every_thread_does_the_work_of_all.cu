// expect: repeated-work: the loop in line 3 begins at the same element in every thread
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  for (int i = 0; i < size; ++i) C[i] = A[i] + B[i];  // here
}
