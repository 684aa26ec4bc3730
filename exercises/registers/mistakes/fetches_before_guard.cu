// expect: out-of-bounds-read
// sizes: not a multiple of 256

// Declare everything at the top, then work.
__global__ void vector_add_temporaries(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const float temp_a = A[item];
  const float temp_b = B[item];
  if (item < size) {
    const float temp_c = temp_a + temp_b;
    C[item] = temp_c;
  }
}
