// C[i] = A[i] + B[i], for i in [0, size), where size need not be a multiple of
// the block
//
//   A, B   the two vectors, read only
//   C      their sum
//   size   how many elements each of them has
//
// Blocks have 1024 threads, so for 10 000 elements there are 10 blocks, and 240
// threads too many. A thread without an element must neither read nor write.
//
// To do: find out whether this thread has an element. One line.
// Check it: gpulab check arbitrary_size.cu

__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const bool has_element = false;  // TODO: so far no thread has one
  if (has_element) C[item] = A[item] + B[item];
}
