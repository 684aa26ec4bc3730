// expect: unwritten-tail: line 4 decides which threads store
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int item = blockIdx.x * blockDim.x + threadIdx.x;
  const bool has_element = blockIdx.x < size/1024;
  if (has_element) C[item] = A[item] * B[item];
}
