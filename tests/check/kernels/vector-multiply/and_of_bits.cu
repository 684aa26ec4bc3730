// expect: out-of-bounds-write: line 4 has item & size, which does not compare
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item & size) C[item] = A[item] * B[item];
}
