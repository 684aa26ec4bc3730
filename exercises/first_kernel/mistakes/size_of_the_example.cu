// expect: constant-for-size
// sizes: larger than 2048
// because: Elements from 2048 on have a thread, but the guard keeps it from them.

// The size of the example in place of the size.
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size && item < 2048) C[item] = A[item] + B[item];
}
