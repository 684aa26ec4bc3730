// expect: type-limit
// sizes: larger than 65 536
// because: & 0xffff keeps 16 bits, so element 65 536 is taken for element 0.

// An index of 16 bits begins at 0 again after 65 535.
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if ((item & 0xffff) < size) C[item & 0xffff] = A[item & 0xffff] + B[item & 0xffff];
}
