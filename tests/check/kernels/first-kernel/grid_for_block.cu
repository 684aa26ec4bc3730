// expect: wrong-index: line 3 multiplies blockIdx.x by gridDim.x, the number of blocks
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int i = blockIdx.x * gridDim.x + threadIdx.x;  // here
  if (i < size) C[i] = A[i] + B[i];
}
