// C[i] = A[i] + B[i], for i in [0, size), for a size that no whole number of blocks fits
//
//   A, B   the two vectors, which are only read
//   C      their sum
//   size   how many elements each of them has
//
// Blocks have 1024 threads, so for 10 000 elements there are 10 blocks, and 240 threads too many. A
// thread that has no element must neither read nor write.
//
// To do: tell the threads that have an element from those that have none. One line.
// Check it: gpulab check arbitrary_size.cu

__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const bool has_element = false;  // TODO: so far no thread has one
  if (has_element) C[item] = A[item] + B[item];
}
