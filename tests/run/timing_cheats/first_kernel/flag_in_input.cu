// expect: out of bounds: wrote into A, which is an input
// Leaves a flag for the next launch in an input.
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= size) return;
  C[item] = A[item] + B[item];
  if (item == 0) const_cast<float*>(A)[0] = -1;
}
