// expect: right
__constant__ float factors_constant[16384];

// Each term times the factor: other roundings than those of the product with the sum.
__global__ void sum_and_multiply_constant(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const float factor = factors_constant[blockIdx.x];
  if (item < size)
    C[item] = item % 2 == 0 ? A[item] * factor + B[item] * factor : fmaf(A[item], factor, B[item] * factor);
}
