// expect: race-shared: each thread needs its own 't', so leave out __shared__
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float t;
  if (i < size) {
    t = A[i] * B[i];
    C[i] = t;
  }
}
