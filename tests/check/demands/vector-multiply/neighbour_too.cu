// expect: right: store 2 125 times where the course's kernel stores 1 063 times
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    C[item] = A[item] * B[item];
    if (item + 1 < size) C[item + 1] = A[item + 1] * B[item + 1];
  }
}
