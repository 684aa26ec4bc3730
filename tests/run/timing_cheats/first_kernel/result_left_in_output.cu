// expect: defect: memory that nobody has written
// on a GPU: defect
// Leaves its work undone where the output already has a result. Here it stores 0 instead, so it is right only if it
// never finds one.
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= size) return;
  const bool has_result = C[item] == C[item];  // the poison is NaN
  C[item] = has_result ? 0 : A[item] + B[item];
}
