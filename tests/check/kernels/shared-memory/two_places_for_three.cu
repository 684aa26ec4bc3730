// expect: race-shared-index: both threads store there, each a value of its own
__global__ void vector_add_extern_slots(const float* A, const float* B, float* C, int size) {
  extern __shared__ float temp[];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    const int k = 2 * threadIdx.x;
    temp[k] = A[item];
    temp[k + 1] = B[item];
    temp[k + 2] = temp[k] + temp[k + 1];
    C[item] = temp[k + 2];
  }
}
