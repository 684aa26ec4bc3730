// expect: time-limit: the loop in line 4 does not end: its condition always holds, and nothing leaves it
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  while (true) {}  // here
  if (i < size) C[i] = A[i] + B[i];
}
