// expect: second-variable: line 5 declares a second 'p', which hides that of line 4 and ends with its block, and line 6 reads that of line 4: leave out the type
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float p = 0;
  if (i < size) { float p = A[i] * B[i]; }
  C[i] = p;
}
