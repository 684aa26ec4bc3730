// expect: constant-for-size
// sizes: neither 10 000 nor a smaller multiple of 1024
// because: The guard compares with 10 000, whatever size is: larger vectors lack their end.

// The size of the example in place of the size.
__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < 10000) C[item] = A[item] + B[item];
}
