// expect: wrong-zeros
// sizes: inputs with a NaN
// because: A NaN is not equal to itself, so sum == sum is false for it, and 0 is stored.

// A sum that is not a number counts as zero.
__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= size) return;
  const float sum = A[item] + B[item];
  C[item] = sum == sum ? sum : 0;
}
