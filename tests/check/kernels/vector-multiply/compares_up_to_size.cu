// expect: out-of-bounds-write: compares 0 <= item, which is 0 or 1, with size: write 0 <= item && item < size
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (0 <= item <= size) C[item] = A[item] * B[item];
}
