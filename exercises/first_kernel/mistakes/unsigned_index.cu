// expect: pass
// because: The factors of a product may change places, and no index is negative: unsigned holds each of them.
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const unsigned item = threadIdx.x + blockDim.x * blockIdx.x;
  const unsigned elements = size;
  if (elements <= item) return;
  C[item] = B[item] + A[item];
}
