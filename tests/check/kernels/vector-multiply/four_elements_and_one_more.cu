// expect: out-of-bounds-write: line 5 lets i + j <= size through, and the last index is size - 1
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  for (int j = 0; j < 4; j++)
    if (i + j <= size) C[i + j] = A[i + j] * B[i + j];  // here
}
