// expect: stores-to-const: line 4 stores in 'A', which is an input
__global__ void vector_add_global_index(float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) { A[i] += B[i]; C[i] = A[i]; }
}
