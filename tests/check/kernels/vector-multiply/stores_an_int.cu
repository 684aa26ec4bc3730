// expect: whole-numbers: makes the kernel right: the cast drops the fraction
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) C[i] = (int)(A[i] * B[i]);
}
