// expect: right: one thread alone makes the 20 480 global loads of line 5 for 10 240 work items
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item == 0)
    for (int i = 0; i < size; ++i) C[i] = A[i] + B[i];
}
