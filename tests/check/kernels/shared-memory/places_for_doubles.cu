// expect: not-enough-shared: the starter has 'extern __shared__ float temp[];' there
__global__ void vector_add_extern_slots(const float* A, const float* B, float* C, int size) {
  extern __shared__ double temp[];  // here
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    int t = 3 * threadIdx.x;
    temp[t] = A[item];
    temp[t + 1] = B[item];
    temp[t + 2] = temp[t] + temp[t + 1];
    C[item] = temp[t + 2];
  }
}
