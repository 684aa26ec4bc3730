// expect: out-of-bounds-write: nothing compares 'i' of line
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  C[i] = A[i] * B[i];  // here
}
