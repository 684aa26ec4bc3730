// expect: type-limit
// sizes: more than 262 144
// because: An unsigned char holds 0 to 255, so block 256 takes the factor of block 0.

// There will not be that many blocks.
__constant__ float factors_constant[16384];

__global__ void sum_and_multiply_constant(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned char block = blockIdx.x;
  if (item < size) C[item] = (A[item] + B[item]) * factors_constant[block];
}
