// expect: uninitialised-shared: in line 8 makes the kernel right
__global__ void vector_add_extern_slots(const float* A, const float* B, float* C, int size) {
  extern __shared__ float temp[];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    const int k = 3 * threadIdx.x;
    temp[k] = A[item];
    temp[k] = B[item];  // here
    temp[k + 2] = temp[k] + temp[k + 1];
    C[item] = temp[k + 2];
  }
}
