// expect: constant-for-size: line 4 compares 'item' with the threads of one block
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < blockDim.x) C[item] = A[item] + B[item];  // here
}
