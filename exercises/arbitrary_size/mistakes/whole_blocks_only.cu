// expect: partial-last-block
// sizes: more than 2048 elements and not a multiple of 1024
// because: A block takes part only if all its threads have an element, and the last block seldom has that.

// Only blocks that are completely inside the vector may work.
__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const int end_of_block = (blockIdx.x + 1) * blockDim.x;
  if (end_of_block <= size) C[item] = A[item] + B[item];
}
