// expect: whole-numbers: line 4 makes an int of the value
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) C[i] = (int)(A[i] * B[i]);
}
