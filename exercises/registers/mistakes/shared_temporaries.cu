// expect: race-shared
// sizes: from two elements on

// Fast memory on the chip for the three values.
__global__ void vector_add_temporaries(const float* A, const float* B, float* C, int size) {
  __shared__ float temp_a, temp_b, temp_c;
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    temp_a = A[item];
    temp_b = B[item];
    temp_c = temp_a + temp_b;
    C[item] = temp_c;
  }
}
