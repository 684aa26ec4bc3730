// expect: missing-kernel: line 2 has __device__ before the kernel: write __global__ in its place
__device__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = A[item] + B[item];
}
