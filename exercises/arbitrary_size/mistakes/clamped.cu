// expect: surplus-accesses
__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  int item = blockIdx.x * blockDim.x + threadIdx.x;
  item = min(item, size - 1);
  C[item] = A[item] + B[item];
}
