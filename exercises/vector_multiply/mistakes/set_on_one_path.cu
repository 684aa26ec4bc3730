// expect: unset-variable
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= size) return;
  float product;
  if (threadIdx.x > 0) product = A[item] * B[item];
  C[item] = product;
}
