// expect: right
#include <cstdio>
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) { C[item] = A[item] + B[item]; printf("thread %d of block %d: %f + %f = %f\n", threadIdx.x, blockIdx.x, A[item], B[item], C[item]); }
}
