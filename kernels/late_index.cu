// C[i] = A[i] + B[i], for i in [0, size)

// The index is declared inside the guard that uses it, so the guard is out of its scope. This file does not compile.
__global__ void vector_add_late_index(const float* A, const float* B, float* C, int size) {
  if (item < size) {
    const int item = blockIdx.x * blockDim.x + threadIdx.x;
    C[item] = A[item] + B[item];
  }
}
