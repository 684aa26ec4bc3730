// expect: out-of-bounds-write: line 4 lets the thread with i == size go on, and the last index is size - 1
__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > size) return;  // here
  C[i] = A[i] + B[i];
}
