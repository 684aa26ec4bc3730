// C[i] = (A[i] + B[i]) * factors[block of i], for i in [0, size)

// Constant memory: 64 KiB that kernels read and only the host writes, with a cache that gives one word to a whole warp
// at a time. All threads of a block ask for the same word: the best it can be asked for.
__constant__ float factors_constant[16384];

__global__ void sum_and_multiply_constant(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = (A[item] + B[item]) * factors_constant[blockIdx.x];
}

// The factors in global memory, as many as there are blocks. The caches help here, too.
__global__ void sum_and_multiply_global(const float* A, const float* B, const float* factors, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = (A[item] + B[item]) * factors[blockIdx.x];
}
