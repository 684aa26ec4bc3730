// expect: type-limit: line 3 keeps the index in a char, which holds 255 at most
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  unsigned char i = blockIdx.x * blockDim.x + threadIdx.x;  // here
  if (i < size) C[i] = A[i] + B[i];
}
