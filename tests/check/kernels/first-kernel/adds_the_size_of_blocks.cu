// expect: wrong-index: line 3 adds blockDim.x to blockIdx.x, and does not multiply by it
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int i = blockIdx.x + blockDim.x + threadIdx.x;  // here
  if (i < size) C[i] = A[i] + B[i];
}
