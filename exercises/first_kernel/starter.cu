// C[i] = A[i] + B[i], for i in [0, size)
//
//   A, B   the two vectors, read only
//   C      their sum
//   size   how many elements each of them has
//
// Every thread of the grid runs this function. There is one thread for each
// element, in blocks of 1024. So far all of them add the same pair, the first
// one.
//
// To do: compute the index of this thread in the grid from threadIdx.x,
// blockIdx.x and blockDim.x. One line.
// Check it: gpulab check first_kernel.cu

__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = 0;  // TODO: the index of this thread in the whole grid
  if (item < size) C[item] = A[item] + B[item];
}
