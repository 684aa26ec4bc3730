// expect: whole-numbers: line 5 declares 'sum' as int, so what line 5 stores loses its fraction
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    int sum = A[item] + B[item];  // here
    C[item] = sum;
  }
}
