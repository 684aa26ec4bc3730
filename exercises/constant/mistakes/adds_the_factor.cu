// expect: wrong-formula
// because: The factor is added, where the sum should be multiplied by it.

__constant__ float factors_constant[16384];

// The factor is added.
__global__ void sum_and_multiply_constant(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = A[item] + B[item] + factors_constant[blockIdx.x];
}
