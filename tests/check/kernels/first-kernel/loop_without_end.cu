// expect: time-limit: the loop in line 4 does not end: nothing in it changes 'item'
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  while (item < size) C[item] = A[item] + B[item];
}
