// expect: race-global: makes one 'temp_a' for all threads: leave static out
__global__ void vector_add_temporaries(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    static float temp_a;
    temp_a = A[item];
    const float temp_b = B[item];
    const float temp_c = temp_a + temp_b;
    C[item] = temp_c;
  }
}
