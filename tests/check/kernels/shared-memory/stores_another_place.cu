// expect: wrong-formula: changing the first 'offset' in line 11, or 'offset' in line 12
// Dynamic shared memory. The launch gives an extern array its size: here 3 * sizeof(float) bytes for each thread of the
// block. If the launch asks for nothing, the array has no memory.
__global__ void vector_add_extern_slots(const float* A, const float* B, float* C, int size) {
  extern __shared__ float temp[];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const int offset = threadIdx.x * 3;
  if (item < size) {
    temp[offset + 0] = A[item];
    temp[offset + 1] = B[item];
    temp[offset + 2] = temp[offset + 0] + temp[offset + 1];
    C[item] = temp[offset + 1];
  }
}
