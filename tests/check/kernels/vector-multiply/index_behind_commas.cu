// expect: only-first-block: line 3 computes (blockIdx.x, blockDim.x, threadIdx.x): of numbers behind commas
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  const int item = (blockIdx.x, blockDim.x, threadIdx.x);
  if (item < size) C[item] = A[item] * B[item];
}
