// expect: out-of-bounds-write: changing '!item < size' in line 4 makes the kernel right
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (!item < size) C[item] = A[item] * B[item];
}
