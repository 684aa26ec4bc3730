// expect: input-index: changing 'threadIdx.x' in line 6
// Three named temporaries are the same three values, in the same registers.
__global__ void vector_add_temporaries(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    const float temp_a = A[threadIdx.x];
    const float temp_b = B[item];
    const float temp_c = temp_a + temp_b;
    C[item] = temp_c;
  }
}
