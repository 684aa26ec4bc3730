// expect: unwritten-tail: changing 'i >= size - 1' in line 4
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size - 1) return;
  C[i] = A[i] * B[i];
}
