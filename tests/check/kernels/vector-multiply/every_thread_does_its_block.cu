// expect: repeated-work: the same element in every thread of a block, so each does the work of all
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  for (int i = 0; i < blockDim.x; i++) {  // here
    int k = blockIdx.x * blockDim.x + i;
    if (k < size) C[k] = A[k] * B[k];
  }
}
