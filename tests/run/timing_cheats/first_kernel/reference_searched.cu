// expect: defect: C[-
// on a GPU: defect
// Looks for the reference's result before the output, and copies what it finds.
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= size) return;
  C[item] = C[item - size - 64];
}
