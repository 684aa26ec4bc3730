// expect: not-enough-shared: in line 6 makes the kernel right
__global__ void vector_add_extern_slots(const float* A, const float* B, float* C, int size) {
  extern __shared__ float temp[];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    const int p = 4 * threadIdx.x;  // here
    temp[p] = A[item];
    temp[p + 1] = B[item];
    temp[p + 2] = temp[p] + temp[p + 1];
    C[item] = temp[p + 2];
  }
}
