// expect: wrong: 1 500 of 3 000
// Knows the size that is measured, and does half of it.
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= size) return;
  if (size == 3000 && item % 2 == 1) return;
  C[item] = A[item] + B[item];
}
