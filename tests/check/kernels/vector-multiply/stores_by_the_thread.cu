// expect: race-global: changing 'threadIdx.x' in line
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) C[threadIdx.x] = A[i] * B[i];  // here
}
