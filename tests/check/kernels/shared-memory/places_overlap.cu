// expect: race-shared-index: both threads store there, each a value of its own
__global__ void vector_add_extern_slots(const float* A, const float* B, float* C, int size) {
  extern __shared__ float temp[];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  float *a = temp, *b = temp + 128;
  if (item < size) {
    a[threadIdx.x] = A[item];  // here
    b[threadIdx.x] = B[item];
    C[item] = a[threadIdx.x] + b[threadIdx.x];
  }
}
