// expect: state-between-launches

__device__ int blocks_begun = 0;

// Blocks are counted, and the count is never set back.
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  __shared__ int block;
  if (threadIdx.x == 0) block = atomicAdd(&blocks_begun, 1);
  __syncthreads();
  const int item = block * blockDim.x + threadIdx.x;
  if (item < size) C[item] = A[item] * B[item];
}
