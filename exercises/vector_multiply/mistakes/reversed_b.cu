// expect: input-index
// sizes: 2 and more

// B is read from its end.
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = A[item] * B[size - 1 - item];
}
