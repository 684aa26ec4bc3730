// C[i] = A[i] + B[i], for i in [0, size)
//
//   A, B   the two vectors, read only
//   C      their sum
//   size   how many elements each of them has
//
// A variable inside a kernel belongs to one thread: every thread has its own,
// and the compiler keeps it in a register. The grid has one thread for each
// element, in blocks of 256.
//
// To do: fetch both elements into variables, and add them in a third one. Three
// lines. An array of three floats is right too: gpulab registers shows what the
// compiler makes of both.
// Check it: gpulab check registers.cu

__global__ void vector_add_temporaries(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    const float temp_a = 0;  // TODO: the element of A
    const float temp_b = 0;  // TODO: the element of B
    const float temp_c = 0;  // TODO: their sum
    C[item] = temp_c;
  }
}
