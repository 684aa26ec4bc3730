// expect: right
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int mine = blockIdx.x * blockDim.x + threadIdx.x;
  for (int item = 0; item < size; ++item)
    if (item == mine) C[item] = A[item] + B[item];
}
