// expect: only-one-element
// sizes: from three elements on
// because: Every thread has index 1, so all of them add and store the same element.

// Start simple: add one pair.
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = 1;
  if (item < size) C[item] = A[item] + B[item];
}
