// expect: wrong-formula
// because: Multiplication comes first: only B is multiplied by the factor, and A is not.

__constant__ float factors_constant[16384];

// The sum times the factor of the block.
__global__ void sum_and_multiply_constant(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = A[item] + B[item] * factors_constant[blockIdx.x];
}
