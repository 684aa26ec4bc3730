// expect: time-limit: far more accesses to memory than the problem takes
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  for (int i = 0; i < size; ++i) C[i] = A[i] + B[i];  // here
}
