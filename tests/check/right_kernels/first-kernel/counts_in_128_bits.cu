// expect: right
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const __int128 item = (__int128)blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[(long long)item] = A[(long long)item] + B[(long long)item];
}
