// expect: state-between-launches
__device__ int blocks = 0;
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  __shared__ int block;
  if (threadIdx.x == 0) block = atomicAdd(&blocks, 1);
  __syncthreads();
  const int i = block * blockDim.x + threadIdx.x;
  if (i < size) C[i] = A[i] * B[i];
}
