// expect: out-of-bounds-write
// sizes: not a multiple of 1024
// because: The last block has more threads than elements are left, and each of them reads and stores.

// One thread for each element.
__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  C[item] = A[item] + B[item];
}
