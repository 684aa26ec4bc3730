// expect: time-limit
// because: Nothing in the loop changes item, so a thread that has begun it stores for ever.

// Work while there are elements.
__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  while (item < size) C[item] = A[item] + B[item];
}
