// expect: race-shared: data race in shared memory: block 0 thread 1 writes temp[0] in line 6
__global__ void vector_add_extern_slots(const float* A, const float* B, float* C, int size) {
  extern __shared__ float temp[];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    temp[threadIdx.x / 2] = A[item] + B[item];  // here
    C[item] = temp[threadIdx.x / 2];
  }
}
