// expect: wrong-index
// sizes: more than 256 elements

// No thread has element 0.
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (i < size) {
    C[i] = A[i] * B[i];
  }
}
