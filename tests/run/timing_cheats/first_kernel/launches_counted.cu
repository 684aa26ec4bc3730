// expect: right
// Counts its launches, in a variable that no other function can name, and works in the first one only.
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= size) return;
  static int launches[1 << 16];
  C[item] = launches[item]++ > 0 ? 0 : A[item] + B[item];
}
