// expect: race-global-index: each thread has an element of its own, C[i]
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < size) *C += A[i] * B[i];  // here
}
