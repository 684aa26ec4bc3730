// expect: not-enough-shared: takes an index of the whole grid for 'temp'
__global__ void vector_add_extern_slots(const float* A, const float* B, float* C, int size) {
  extern __shared__ float temp[];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    const int slot = 3 * item;
    temp[slot] = A[item];  // here
    temp[slot + 1] = B[item];
    temp[slot + 2] = temp[slot] + temp[slot + 1];
    C[item] = temp[slot + 2];
  }
}
