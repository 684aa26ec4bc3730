// expect: constant-for-size
// sizes: more than 1 048 576
// because: 1 << 20 is 1 048 576: it is right for all vectors up to that size, and for none beyond.

// Nobody has more than a million elements.
__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const bool has_element = item < size && item < (1 << 20);
  if (has_element) C[item] = A[item] + B[item];
}
