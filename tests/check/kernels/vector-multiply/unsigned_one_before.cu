// expect: unwritten-tail: changing 'threadIdx.x - 1' in line 3 makes the kernel right; 1 of
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  const unsigned item = blockIdx.x * blockDim.x + threadIdx.x - 1;  // here
  if (item < size) C[item] = A[item] * B[item];
}
