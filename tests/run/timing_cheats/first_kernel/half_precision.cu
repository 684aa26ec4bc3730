// expect: wrong: wrong
// Rounds to the 11 bits of half precision. The intrinsics keep the compiler from an exact fused multiply-add.
__device__ float rounded(float value) {
  const float scaled = __fmul_rn(value, 8193.0f);  // Dekker: keeps the upper 11 bits
  return __fsub_rn(scaled, __fsub_rn(scaled, value));
}

__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= size) return;
  C[item] = rounded(rounded(A[item]) + rounded(B[item]));
}
