// expect: missing-kernel: write __global__ before it
void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  if (blockIdx.x == 0 && threadIdx.x == 0)
    for (int i = 0; i < size; ++i)
      C[i] = A[i] + B[i];
}
