// expect: wrong-index
// sizes: more than 256 elements

// Thread and block have changed places, so most threads are far beyond the end.
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = threadIdx.x * blockDim.x + blockIdx.x;
  if (i < size) {
    C[i] = A[i] * B[i];
  }
}
