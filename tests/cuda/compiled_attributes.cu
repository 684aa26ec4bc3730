
__constant__ float factors[100];
__global__ void vector_add(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = A[item] + B[item];
}
__global__ void indexed_at_run_time(const float* A, const float* B, float* C, int size) {
  float bins[64];
  for (int i = 0; i < 64; ++i) bins[i] = 0;
  for (int i = 0; i < size; ++i) bins[i & 63] += A[i];
  C[threadIdx.x] = bins[size & 63] * factors[threadIdx.x];
}
__global__ void __launch_bounds__(1024) too_many_values(const float* A, const float* B, float* C, int size) {
  __shared__ float sums[10];
  float values[100];
#pragma unroll
  for (int i = 0; i < 100; ++i) values[i] = A[i * size + threadIdx.x];
  if (threadIdx.x < 10) sums[threadIdx.x] = values[0];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 100; ++i)
    C[i * size + threadIdx.x] = values[99 - i] * values[(i * 7) % 100] + sums[i / 10];
}
