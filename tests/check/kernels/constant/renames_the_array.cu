// expect: renamed-variable: line 2 calls it 'factors', and the host fills 'factors_constant'
__constant__ float factors[16384];  // here
__global__ void sum_and_multiply_constant(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = (A[item] + B[item]) * factors[blockIdx.x];
}
