// expect: unwritten-tail: lets no thread through from size - blockDim.x on
__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size - blockDim.x) C[item] = A[item] + B[item];  // here
}
