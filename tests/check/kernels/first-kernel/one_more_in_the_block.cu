// expect: wrong-index: changing 'threadIdx.x + 1' in line 3
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = threadIdx.x + 1;  // here
  if (item < size) C[item] = A[item] + B[item];
}
