// expect: wrong-parameters: parameter 1 is 'C', and the starter's is 'A': keep the order (A, B, C, size)
__global__ void vector_add_global_index(float* C, const float* A, const float* B, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) C[i] = A[i] + B[i];
}
