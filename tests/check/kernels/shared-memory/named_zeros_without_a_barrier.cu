// expect: race-shared: with no barrier between line 6 and line 7
__global__ void vector_add_extern_slots(const float* A, const float* B, float* C, int size) {
  extern __shared__ float temp[];
  const float zero = 0;
  const int item = blockIdx.x * blockDim.x + threadIdx.x, next = (threadIdx.x + 1) % blockDim.x;
  temp[threadIdx.x] = zero;
  if (item < size) temp[next] = A[item] + B[item];
  if (item < size) C[item] = temp[next];
}
