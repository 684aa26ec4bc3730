// C[i] = A[i] + B[i], for i in [0, size), where size need not be a multiple of the block

// The grid is rounded up to whole blocks, so the last block has threads past the end. They write past the end too.
__global__ void vector_add_no_guard(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  C[item] = A[item] + B[item];
}

// The bounds guard: threads past the end do nothing.
__global__ void vector_add_guarded(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = A[item] + B[item];
}

// Each thread takes elements that are one whole grid apart. Any number of blocks is right, and neighbouring threads
// still read neighbouring elements.
__global__ void vector_add_grid_stride(const float* A, const float* B, float* C, int size) {
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) C[item] = A[item] + B[item];
}

// Four neighbouring elements per thread, moved by one 16-byte load or store. So 64 KiB instead of 16 are on their way
// to every multiprocessor of 2048 threads, and that keeps memory busy. A thread has no loop: blocks begin in order and
// end at once, so together they go through memory from front to back. Blocks that stay and stride drift apart and take
// 5 % longer. The thread after the last whole four takes the elements that are left. Expects arrays that are aligned to
// 16 bytes.
__global__ void vector_add_wide(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const int fours = size / 4;
  if (item < fours) {
    const float4 a = reinterpret_cast<const float4*>(A)[item];
    const float4 b = reinterpret_cast<const float4*>(B)[item];
    reinterpret_cast<float4*>(C)[item] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
  } else if (item == fours) {
    for (int i = 4 * fours; i < size; ++i) C[i] = A[i] + B[i];
  }
}
