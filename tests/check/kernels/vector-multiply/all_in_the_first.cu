// expect: race-global: changing '0' in line
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) C[0] = A[i] * B[i];  // here
}
