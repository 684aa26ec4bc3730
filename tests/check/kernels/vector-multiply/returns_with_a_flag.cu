// expect: inverted-condition: line 5 returns where i < size
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool has_element = i < size;
  if (has_element) return;
  C[i] = A[i] * B[i];
}
