// expect: input-index
// sizes: larger than 1024
// because: All blocks take the factor of block 0. Other blocks have others.

__constant__ float factors_constant[16384];

// Every block takes the first factor.
__global__ void sum_and_multiply_constant(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = (A[item] + B[item]) * factors_constant[0];
}
