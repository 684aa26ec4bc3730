// C[i] = A[i] * B[i], for i in [0, size)

// One thread for each element. Threads past the end do nothing.
__global__ void vector_multiply_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = A[item] * B[item];
}

// A grid-stride loop: a fixed number of threads, each with elements that are one whole grid apart.
__global__ void vector_multiply_grid_stride(const float* A, const float* B, float* C, int size) {
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) C[item] = A[item] * B[item];
}
