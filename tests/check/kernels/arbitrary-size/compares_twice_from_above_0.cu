// expect: out-of-bounds-write: line 4 compares 0 < i, which is 0 or 1, with size: write 0 <= i && i < size
__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (0 < i < size) C[i] = A[i] + B[i];  // here
}
