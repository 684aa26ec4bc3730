// expect: out-of-bounds-read: reads A[5120] in line 4, past its 3 elements
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = threadIdx.x * blockDim.x + blockIdx.x;
   C[item] = A[item] + B[item];
}
