// expect: wrong-values: changing '] + blockDim.x' in line 9 makes the kernel right
__global__ void vector_add_extern_slots(const float* A, const float* B, float* C, int size) {
  extern __shared__ float temp[];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    int t = threadIdx.x;
    temp[t] = A[item];
    temp[t + blockDim.x] = B[item];
    temp[t + 2 * blockDim.x] = temp[t] + temp[t] + blockDim.x;
    C[item] = temp[t + 2 * blockDim.x];
  }
}
