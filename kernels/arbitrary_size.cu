// C[i] = A[i] + B[i], for i in [0, size), for a size that no whole number of blocks fits

// The grid is rounded up to whole blocks, so the last block has threads past the end. These write past it, too.
__global__ void vector_add_no_guard(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  C[item] = A[item] + B[item];
}

// The bounds guard: threads past the end do nothing.
__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = A[item] + B[item];
}

// Every thread takes the elements one whole grid apart. Any number of blocks is right, and neighbouring threads
// still read neighbouring elements.
__global__ void vector_add_grid_stride(const float* A, const float* B, float* C, int size) {
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) C[item] = A[item] + B[item];
}
