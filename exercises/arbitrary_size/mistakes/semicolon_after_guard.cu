// expect: stray-semicolon
// sizes: not a multiple of 1024
// because: The semicolon ends the if, so the next line belongs to every thread.

// The guard guards nothing.
__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size);
  C[item] = A[item] + B[item];
}
