// expect: wrong-sign
// sizes: any, with negative numbers
// because: fabsf() takes the sign away, so every negative sum comes out positive.

// The absolute value of the sum.
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = fabsf(A[item] + B[item]);
}
