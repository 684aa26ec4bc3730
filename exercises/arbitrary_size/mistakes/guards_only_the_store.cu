// expect: out-of-bounds-read
// sizes: not a multiple of 1024
// because: The guard comes after the reads, so threads without an element read past the ends of A and B.

// Add first, and then store if there is an element.
__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const float sum = A[item] + B[item];
  if (item < size) C[item] = sum;
}
