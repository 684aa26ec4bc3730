// expect: time-limit

// Work while there are elements.
__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  while (item < size) C[item] = A[item] + B[item];
}
