// expect: run-time-size

// Three places for each thread of the block.
__global__ void vector_add_extern_slots(const float* A, const float* B, float* C, int size) {
  __shared__ float temp[3 * blockDim.x];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const int offset = threadIdx.x * 3;
  if (item < size) {
    temp[offset + 0] = A[item];
    temp[offset + 1] = B[item];
    temp[offset + 2] = temp[offset + 0] + temp[offset + 1];
    C[item] = temp[offset + 2];
  }
}
