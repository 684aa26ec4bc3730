// expect: wrong-formula

// The first place is stored, not the last.
__global__ void vector_add_extern_slots(const float* A, const float* B, float* C, int size) {
  extern __shared__ float temp[];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const int offset = threadIdx.x * 3;
  if (item < size) {
    temp[offset] = A[item];
    temp[offset + 1] = B[item];
    temp[offset + 2] = temp[offset] + temp[offset + 1];
    C[item] = temp[offset];
  }
}
