// expect: out-of-bounds-write: with the 'has_element' of line 4, line 5 lets threads through
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int item = blockIdx.x * blockDim.x + threadIdx.x;
  const bool has_element = true;
  if (has_element) C[item] = A[item] * B[item];
}
