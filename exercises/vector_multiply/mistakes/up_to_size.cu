// expect: out-of-bounds-write
// sizes: not a multiple of 256

// The elements from 0 to size.
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item <= size) C[item] = A[item] * B[item];
}
