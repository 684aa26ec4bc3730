// C[i] = A[i] + B[i], for i in [0, size)

// Every thread adds one pair. Inside one block, threadIdx.x is all there is to tell threads apart; the
// elements beyond the block have no thread.
__global__ void vector_add_thread_index(const float* A, const float* B, float* C, int size) {
  const int item = threadIdx.x;
  if (item < size) C[item] = A[item] + B[item];
}

// A constant is no index: all threads of all blocks add the same pair, and store the same sum.
__global__ void vector_add_loose_thread(const float* A, const float* B, float* C, int size) {
  const int item = 1;
  if (item < size) C[item] = A[item] + B[item];
}

// The place of the thread in the whole grid: blocks before this one, times their threads, plus its place in
// the block.
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = A[item] + B[item];
}
