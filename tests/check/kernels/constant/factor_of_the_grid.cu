// expect: zero-everywhere: changing 'gridDim' in line 8
// Constant memory: 64 KiB that only the host writes. The constant cache gives one word at a time to a whole warp. Here
// all threads of a block ask for the same word, which is the best case, a broadcast.
__constant__ float factors_constant[16384];

__global__ void sum_and_multiply_constant(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = (A[item] + B[item]) * factors_constant[gridDim.x];
}
