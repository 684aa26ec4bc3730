// expect: not-shared: line 3 declares 'temp' without __shared__
__global__ void vector_add_extern_slots(const float* A, const float* B, float* C, int size) {
  float temp[3];  // here
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    const int t = threadIdx.x;
    temp[3 * t] = A[item];
    temp[3 * t + 1] = B[item];
    C[item] = temp[3 * t] + temp[3 * t + 1];
  }
}
