// expect: out-of-bounds-write: line 4 compares -1 < item, which is 0 or 1, with size: write -1 < item && item < size
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (-1 < item < size) C[item] = A[item] * B[item];
}
