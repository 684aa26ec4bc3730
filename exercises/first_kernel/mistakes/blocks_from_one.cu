// expect: unwritten-blocks
// sizes: more than two blocks
// because: Block 0 begins at element blockDim.x, so nobody has the elements before that.

// Counts the blocks from 1, so nobody has the elements of block 0.
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = (blockIdx.x + 1) * blockDim.x + threadIdx.x;
  if (item < size) C[item] = A[item] + B[item];
}
