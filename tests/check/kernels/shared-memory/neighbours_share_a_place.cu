// expect: race-shared-index: both threads store there, each a value of its own
__global__ void vector_add_extern_slots(const float* A, const float* B, float* C, int size) {
  extern __shared__ float temp[];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    temp[threadIdx.x / 2] = A[item] + B[item];  // here
    C[item] = temp[threadIdx.x / 2];
  }
}
