// expect: type-limit: line 3 keeps the index in a float
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  float i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) C[(int)i] = A[(int)i] * B[(int)i];
}
