// expect: second-variable: line 4 declares a second 'i', which hides that of line 3 and is the same in every thread
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < size; ++i) {
    C[i] = A[i] * B[i];
  }
}
