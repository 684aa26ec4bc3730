// expect: wrong-index: something else in place of 'gridDim' in line 3
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int i = blockIdx.x * gridDim.x + threadIdx.x;  // here
  if (i < size) C[i] = A[i] + B[i];
}
