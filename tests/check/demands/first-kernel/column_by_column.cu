// expect: right: line 4 is uncoalesced
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = threadIdx.x * gridDim.x + blockIdx.x;
  if (item < size) C[item] = A[item] + B[item];
}
