// expect: missing-braces: line 7 is indented as if it belonged to the if in line 5, but only line 6 does: braces are missing
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float p = 0;
  if (i < size)
    p = A[i] * B[i];
    C[i] = p;
}
