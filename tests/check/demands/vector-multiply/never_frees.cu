// expect: right: nothing frees what line 4 allocates
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float* t = (float*)malloc(4);
  if (i < size) { *t = A[i] * B[i]; C[i] = *t; }
}
