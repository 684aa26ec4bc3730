// expect: type-limit
// sizes: more than 16 777 217
// because: A float has 24 bits for its digits: from 16 777 216 on it cannot hold each whole number.

// The number of the thread, as a float.
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const float item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[(int)item] = A[(int)item] + B[(int)item];
}
