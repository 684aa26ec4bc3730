// C[i] = A[i] + B[i], for i in [0, size)

// A variable-length array. The compiler must know the size: a kernel parameter is too late. This file does not compile.
__global__ void vector_add_run_time_size(const float* A, const float* B, float* C, int size, int temporaries) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    float temp[temporaries];
    temp[0] = A[item];
    temp[1] = B[item];
    temp[2] = temp[0] + temp[1];
    C[item] = temp[2];
  }
}
