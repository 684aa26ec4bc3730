// expect: unknown-name
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = A[item] + B[item];
}
