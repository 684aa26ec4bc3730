// expect: right
__constant__ float factors_constant[16384];

// A * factor + B * factor rounds otherwise than (A + B) * factor does, as the reference computes it.
__global__ void sum_and_multiply_constant(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const float factor = factors_constant[blockIdx.x];
  if (item < size)
    C[item] = item % 2 == 0 ? A[item] * factor + B[item] * factor : fmaf(A[item], factor, B[item] * factor);
}
