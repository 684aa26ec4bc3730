// expect: input-index
// sizes: 2 and more
// because: A is read at the index of the thread, B one element further on.

// A is read at the right place, B one element further on.
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = A[item] + B[item + 1 < size ? item + 1 : item];
}
