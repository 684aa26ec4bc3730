// expect: does-not-compile: line 2 has a kernel that is not void: write __global__ void
__global__ int vector_multiply_guarded(const float* A, const float* B, float* C, int size) {  // here
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) C[i] = A[i] * B[i];
  return i;
}
