// expect: wrong-index: threadIdx + 1, without blockIdx
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = threadIdx.x + 1;  // here
  if (item < size) C[item] = A[item] + B[item];
}
