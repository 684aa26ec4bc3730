// expect: does-not-compile: must have a void return type
__global__ int vector_multiply_guarded(const float* A, const float* B, float* C, int size) {  // here
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) C[i] = A[i] * B[i];
  return i;
}
