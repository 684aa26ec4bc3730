// expect: component-missing
// because: threadIdx is three numbers, and there is no sum of an int and three numbers.

// threadIdx is three numbers.
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx;
  if (item < size) C[item] = A[item] + B[item];
}
