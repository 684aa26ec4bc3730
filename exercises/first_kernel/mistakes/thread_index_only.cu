// expect: only-first-block
// sizes: more than 1024 elements, one block
// because: Thread 0 of every block has index 0: without blockIdx all blocks do the elements of block 0.

// Every thread adds the pair with its own index.
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = threadIdx.x;
  if (item < size) C[item] = A[item] + B[item];
}
