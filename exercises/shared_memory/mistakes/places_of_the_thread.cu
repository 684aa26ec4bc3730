// expect: pass
// because: A thread reads only what it has stored itself, so there is nobody to wait for.
__global__ void vector_add_extern_slots(const float* A, const float* B, float* C, int size) {
  extern __shared__ float temp[];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= size) return;
  float* const of_a = temp + threadIdx.x;
  float* const of_b = of_a + blockDim.x;
  float* const sum = of_b + blockDim.x;
  *of_a = A[item];
  *of_b = B[item];
  *sum = *of_a + *of_b;
  C[item] = *sum;
}
