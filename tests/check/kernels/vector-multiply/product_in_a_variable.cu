// expect: unwritten-everywhere: puts the value into 'c', which nobody reads
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) float c = A[i] * B[i];  // here
}
