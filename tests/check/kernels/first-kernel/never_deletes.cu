// expect: out-of-bounds-write: a null pointer: malloc() or new found no room in the heap
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= size) return;
  float* const sum = new float[1000];
  sum[0] = A[item] + B[item];  // here
  C[item] = sum[0];
}
