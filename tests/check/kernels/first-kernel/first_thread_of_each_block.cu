// expect: wrong-values: 10 of 10 007 wrong, those of thread 0 of their blocks
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = threadIdx.x == 0 ? 7 : A[item] + B[item];
}
