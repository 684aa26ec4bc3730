// expect: run-time-size

// Room for all elements that the thread may need.
__global__ void vector_add_temporaries(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    float temp[size];
    temp[item] = A[item] + B[item];
    C[item] = temp[item];
  }
}
