// expect: unknown-name
// because: CUDA has no blockId and no threadId: they are called blockIdx and threadIdx.

// The index of the thread in the grid.
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockId.x * blockDim.x + threadId.x;
  if (item < size) C[item] = A[item] + B[item];
}
