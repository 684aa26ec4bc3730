// expect: wrong-formula

// The second variable is never used.
__global__ void vector_add_temporaries(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    const float temp_a = A[item];
    const float temp_b = A[item];
    const float temp_c = temp_a + temp_b;
    C[item] = temp_c;
  }
}
