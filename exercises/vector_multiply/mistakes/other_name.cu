// expect: missing-kernel

// Multiplies two vectors.
__global__ void vector_multiply(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = A[item] * B[item];
}
