// expect: wrong-index
// sizes: more than 1025 elements
// because: Thread 1 of block 0 and thread 0 of block 1 both get index 1: blockIdx.x is not multiplied by blockDim.x.

// The blocks overlap: each begins one element further on, not one block.
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x + threadIdx.x;
  if (item < size) C[item] = A[item] + B[item];
}
