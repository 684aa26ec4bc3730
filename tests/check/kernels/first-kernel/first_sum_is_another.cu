// expect: one-wrong-value: 1 of 10 007 wrong, the first, C[0]
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = item == 0 ? B[0] : A[item] + B[item];
}
