// expect: surplus-accesses
// because: min() gives the last element to all threads that are left over: they read and store it, too.
__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  int item = blockIdx.x * blockDim.x + threadIdx.x;
  item = min(item, size - 1);
  C[item] = A[item] + B[item];
}
