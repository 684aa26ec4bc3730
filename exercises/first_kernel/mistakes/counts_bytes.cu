// expect: unwritten-spaced
// sizes: from nine elements on
// because: An index counts elements, not bytes: * sizeof(float) leaves three of four elements out.

// A float has four bytes, so neighbours are four bytes apart.
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = (blockIdx.x * blockDim.x + threadIdx.x) * sizeof(float);
  if (item < size) C[item] = A[item] + B[item];
}
