// expect: right
__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x) C[i] = A[i] + B[i];
}
