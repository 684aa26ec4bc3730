// expect: rounding-only
// sizes: from a few dozen elements on

__constant__ float factors_constant[16384];

// Both terms times the factor of the block.
__global__ void sum_and_multiply_constant(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = A[item] * factors_constant[blockIdx.x] + B[item] * factors_constant[blockIdx.x];
}
