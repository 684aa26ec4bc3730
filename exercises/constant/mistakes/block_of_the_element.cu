// expect: pass
// because: item / blockDim.x is the number of the block, so all threads of a block read one factor.
__constant__ float factors_constant[16384];

__global__ void sum_and_multiply_constant(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= size) return;
  C[item] = factors_constant[item / blockDim.x];
  C[item] *= A[item] + B[item];
}
