// expect: input-index
// sizes: from two elements on
// because: The factor of a block has the index blockIdx.x; this one differs from thread to thread.

__constant__ float factors_constant[16384];

// Every thread has its factor.
__global__ void sum_and_multiply_constant(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = (A[item] + B[item]) * factors_constant[threadIdx.x];
}
