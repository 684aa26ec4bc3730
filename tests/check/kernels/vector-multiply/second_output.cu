// expect: second-variable: line 5 declares a second 'C', which hides the parameter of that name
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    float C = A[item] * B[item];
  }
}
