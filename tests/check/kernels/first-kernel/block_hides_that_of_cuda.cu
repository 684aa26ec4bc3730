// expect: unwritten-tail: leaving out 'const dim3 blockDim(256)' in line 3 makes the kernel right
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const dim3 blockDim(256);  // here
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = A[item] + B[item];
}
