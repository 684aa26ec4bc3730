// expect: constant-memory-too-small
// sizes: more than 2048 elements, two blocks
// because: The kernel is right, but there is a factor for each block, and the array has room for two.

__constant__ float factors_constant[2];

// A factor for each of the two blocks.
__global__ void sum_and_multiply_constant(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = (A[item] + B[item]) * factors_constant[blockIdx.x];
}
