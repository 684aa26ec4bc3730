// expect: wrong: wrong
// Rounds to the 11 bits of half precision.
__device__ float rounded(float value) {
  const float scaled = value * 8193.0f;  // Dekker: keeps the upper 11 bits
  return scaled - (scaled - value);
}

__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= size) return;
  C[item] = rounded(rounded(A[item]) + rounded(B[item]));
}
