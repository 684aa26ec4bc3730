// expect: does-not-compile: an #include of a file by its path is not for device code
#include "/etc/hostname"  // here
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = A[item] + B[item];
}
