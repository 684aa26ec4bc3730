// expect: wrong-index: line 3 multiplies blockIdx.x by 256
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < size) C[i] = A[i] + B[i];
}
