// expect: does-not-compile
// because: Constant memory belongs to the whole file: it cannot be declared inside a kernel.

// The factors belong to the kernel.
__global__ void sum_and_multiply_constant(const float* A, const float* B, float* C, int size) {
  __constant__ float factors_constant[16384];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = (A[item] + B[item]) * factors_constant[blockIdx.x];
}
