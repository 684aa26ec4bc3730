// expect: wrong-index
// sizes: from 1027 elements to about a million
// because: gridDim.x is the number of blocks. A block has blockDim.x threads, and that many elements.

// The index of the block times the size, plus the index of the thread.
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * gridDim.x + threadIdx.x;
  if (item < size) C[item] = A[item] + B[item];
}
