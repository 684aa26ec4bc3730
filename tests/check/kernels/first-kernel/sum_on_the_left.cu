// expect: does-not-compile: has a sum or the like on the left of =: write C[i] = A[i] + B[i]
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) A[item] + B[item] = C[item];
}
