// expect: whole-numbers

// Each value gets a name.
__global__ void vector_add_temporaries(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    const int temp_a = A[item];
    const int temp_b = B[item];
    const int temp_c = temp_a + temp_b;
    C[item] = temp_c;
  }
}
