// expect: fails to compile
// Starts a second kernel, which would still run when the timed one has ended.
__global__ void later(const float* A, const float* B, float* C, int size) {
  for (int i = 0; i < size; ++i) C[i] = A[i] + B[i];
}

__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  if (blockIdx.x == 0 && threadIdx.x == 0) later<<<1, 1>>>(A, B, C, size);
}
