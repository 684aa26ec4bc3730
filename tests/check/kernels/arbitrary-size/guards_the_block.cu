// expect: out-of-bounds-write: leaves out the thread there
__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const bool has_element = blockIdx.x * blockDim.x < size;  // here
  if (has_element) C[item] = A[item] + B[item];
}
