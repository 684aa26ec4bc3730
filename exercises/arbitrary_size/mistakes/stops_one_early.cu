// expect: unwritten-tail
// sizes: from two elements on, except one more than a multiple of 1024
// because: The last element has index size - 1, and the guard stops before it.

// The last index is size - 1.
__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size - 1) C[item] = A[item] + B[item];
}
