// expect: unwritten-tail: lets no thread through from size - 1 on, and the last element is size - 1: write item < size
__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const bool has_element = item < size - 1;  // here
  if (has_element) C[item] = A[item] + B[item];
}
