// expect: pass
// because: Each thread has an element of its own, counted from the end, and the guard keeps out what is below 0.
__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  const int item = size - 1 - (blockIdx.x * blockDim.x + threadIdx.x);
  if (item >= 0) C[item] = A[item] + B[item];
}
