// expect: wrong-formula: 3 of 5 wrong, all with an even index
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = item % 2 ? A[item] + B[item] : A[item];
}
