// expect: wrong-parameters
// because: The host copies the factors to constant memory, and launches a kernel of four parameters, not five.

// The factors come with the vectors.
__global__ void sum_and_multiply_constant(const float* A, const float* B, const float* factors, float* C,
                                          int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = (A[item] + B[item]) * factors[blockIdx.x];
}
