// expect: type-limit
// sizes: more than 536 870 912

// Finds the elements by their offset in bytes.
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const int offset = 4 * item;
  if (item < size)
    *(float*)((char*)C + offset) = *(const float*)((const char*)A + offset) * *(const float*)((const char*)B + offset);
}
