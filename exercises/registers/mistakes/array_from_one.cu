// expect: out-of-bounds-write

// Three values in an array of three.
__global__ void vector_add_temporaries(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    float temp[3];
    temp[1] = A[item];
    temp[2] = B[item];
    temp[3] = temp[1] + temp[2];
    C[item] = temp[3];
  }
}
