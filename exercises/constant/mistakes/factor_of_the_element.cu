// expect: out-of-bounds-read
// sizes: more than 1024 elements
// because: There is one factor for each block, and item runs over all elements: it goes past the end of the array.

__constant__ float factors_constant[1024];

// A block has 1024 threads, and each has its factor.
__global__ void sum_and_multiply_constant(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = (A[item] + B[item]) * factors_constant[item];
}
