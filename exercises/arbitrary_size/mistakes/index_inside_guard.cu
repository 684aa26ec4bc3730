// expect: unknown-name
// because: item is used in the condition, and declared only after it, inside the braces.

// Threads without an element do nothing.
__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  if (item < size) {
    const int item = blockIdx.x * blockDim.x + threadIdx.x;
    C[item] = A[item] + B[item];
  }
}
