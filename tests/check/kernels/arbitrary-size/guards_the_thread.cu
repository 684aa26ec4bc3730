// expect: out-of-bounds-write: line 4 compares size with threadIdx.x, the index in the block, and not in the grid
__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < size) C[i] = A[i] + B[i];  // here
}
