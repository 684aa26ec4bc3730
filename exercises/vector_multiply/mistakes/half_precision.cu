// expect: rounding-only

// Half of the digits are cut off, as in a half.
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = __uint_as_float(__float_as_uint(A[item] * B[item]) & 0xffffe000);
}
