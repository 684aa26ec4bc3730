// expect: does-not-compile
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  cudaMalloc(&C, 4);
  if (i < size) C[i] = A[i] * B[i];
}
