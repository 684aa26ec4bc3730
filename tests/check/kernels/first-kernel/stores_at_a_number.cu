// expect: out-of-bounds-write: block 0 thread 0 writes 4 bytes in line 5, an address near no array
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  float* const sums = reinterpret_cast<float*>(0x1234);
  sums[item] = A[item] + B[item];  // here
}
