// expect: inverted-condition: line 4 returns where i < size, and those are the threads with an element
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) return;  // here
  C[i] = A[i] * B[i];
}
