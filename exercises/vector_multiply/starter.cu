// C[i] = A[i] * B[i], for i in [0, size)
//
//   A, B   the two vectors, read only
//   C      their products, element by element
//   size   how many elements each of them has
//
// The grid has one thread for each element, in blocks of 256 threads. The last
// block may have threads without an element.
//
// To do: the whole kernel. You have written all its parts before. Two or three
// lines.
// Check it: gpulab check vector_multiply.cu

__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  // TODO: multiply the pair of this thread, if there is one
}
