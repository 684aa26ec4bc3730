// expect: wrong: unwritten
// Each launch does half of the work, and relies on the launch before it for the other half.
__device__ int turns[1 << 16];

__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= size) return;
  if ((turns[item]++ + item) % 2 == 0) C[item] = A[item] + B[item];
}
