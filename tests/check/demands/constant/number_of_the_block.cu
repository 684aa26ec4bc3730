// expect: right: only in blocks of 1024 threads: blockIdx.x is the number of the block, and line 6 computes it
__constant__ float factors_constant[16384];

__global__ void sum_and_multiply_constant(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = (A[item] + B[item]) * factors_constant[item / 1024];
}
