// expect: partial-last-block: decides which threads store
__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  const int end_of_block = (blockIdx.x + 1) * blockDim.x;
  if (end_of_block <= size) C[i] = A[i] + B[i];  // here
}
