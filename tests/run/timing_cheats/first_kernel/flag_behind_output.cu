// expect: defect: C[2999]
// on a GPU: defect
// Leaves a flag for the next launch behind the output.
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= size) return;
  C[item] = A[item] + B[item];
  if (item == size - 1) C[size] = 1;
}
