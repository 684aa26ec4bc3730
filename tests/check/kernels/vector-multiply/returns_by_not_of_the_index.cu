// expect: unwritten-everywhere: line 4 compares !item, which is 0 or 1, with size: write !(item < size)
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (!item < size) return;
  C[item] = A[item] * B[item];
}
