// C[i] = A[i] + B[i], for i in [0, size)

// Every thread adds one pair. threadIdx.x counts from 0 in every block. So all blocks compute the elements of the first
// block again, and no thread computes those beyond.
__global__ void vector_add_thread_index(const float* A, const float* B, float* C, int size) {
  const int item = threadIdx.x;
  if (item < size) C[item] = A[item] + B[item];
}

// A constant is not an index: all threads of all blocks add the same pair and store the same sum.
__global__ void vector_add_constant_index(const float* A, const float* B, float* C, int size) {
  const int item = 1;
  if (item < size) C[item] = A[item] + B[item];
}

// The index of the thread in the whole grid: the number of blocks before this one, times the threads of a block, plus
// the index in the block.
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = A[item] + B[item];
}
