// expect: time-limit: of them by this thread
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  while (item < size) C[item] = A[item] + B[item];
}
