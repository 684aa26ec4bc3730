// expect: unwritten-blocks: changing '+ blockDim.x' in line 3 makes the kernel right
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + blockDim.x + threadIdx.x;  // here
  if (item < size) C[item] = A[item] + B[item];
}
