// expect: right: only in blocks of 1024 threads
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * 1024 + threadIdx.x;
  if (item < size) C[item] = A[item] + B[item];
}
