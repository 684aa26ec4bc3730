// expect: pass
// because: The loop advances by the whole grid, so it ends after one iteration here, and is right for any grid.
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  for (int item = first; item < size; item += gridDim.x * blockDim.x) {
    C[item] = A[item];
    C[item] *= B[item];
  }
}
