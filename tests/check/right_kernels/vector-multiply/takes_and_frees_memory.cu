// expect: right
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float* t = (float*)malloc(sizeof(float));
  *t = A[i] * B[i];
  C[i] = *t;
  free(t);
}
