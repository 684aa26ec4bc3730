// expect: wrong-parameters

// The vectors have 10 000 elements.
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C) {
  const int size = 10000;
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = A[item] * B[item];
}
