// expect: wrong-index: line 3 uses threadIdx.y, which is 0 in every thread
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int i = blockIdx.x * blockDim.y + threadIdx.y;  // here
  if (i < size) C[i] = A[i] + B[i];
}
