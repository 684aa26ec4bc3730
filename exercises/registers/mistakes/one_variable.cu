// expect: pass
// because: One variable is enough: B is added to what was fetched from A, in a register of the thread.
__global__ void vector_add_temporaries(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  float temp = 0;
  if (item < size) temp = A[item];
  if (item < size) temp += B[item];
  if (item < size) C[item] = temp;
}
