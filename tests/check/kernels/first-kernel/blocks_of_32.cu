// expect: wrong-index: line 3 multiplies blockIdx.x by 32, and a block has blockDim.x threads
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int i = blockIdx.x * 32 + threadIdx.x;  // here
  if (i < size) C[i] = A[i] + B[i];
}
