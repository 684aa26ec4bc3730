// expect: zero-everywhere: line 7 still has its TODO
__global__ void vector_add_temporaries(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    const float temp_a = A[item];
    const float temp_b = B[item];
    const float temp_c = 0;  // TODO: their sum
    C[item] = temp_c;
  }
}
