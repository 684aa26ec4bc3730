// expect: inverted-condition: threads through in which has_element is false
__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const bool has_element = item < size;
  if (!has_element) C[item] = A[item] + B[item];
}
