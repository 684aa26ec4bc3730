// expect: wrong
// Works in three launches of four, as the device's clock has it.
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= size) return;
  if ((clock64() >> 4) % 4 != 0) C[item] = A[item] + B[item];
}
