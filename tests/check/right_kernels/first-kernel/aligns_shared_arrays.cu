// expect: right
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  alignas(16) __shared__ float a[1024];
  __shared__ alignas(16) float b[1024];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    a[threadIdx.x] = A[item];
    b[threadIdx.x] = B[item];
  }
  __syncthreads();
  if (item < size) C[item] = a[threadIdx.x] + b[threadIdx.x];
}
