// expect: type-limit: line 3 keeps the index in a short, which holds 32 767 at most
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const short i = blockIdx.x * blockDim.x + threadIdx.x;  // here
  if (i < size) C[i] = A[i] + B[i];
}
