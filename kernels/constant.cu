// C[i] = (A[i] + B[i]) * factors[block of i], for i in [0, size)

// Constant memory: 64 KiB that only the host writes. The constant cache gives one word at a time to a whole warp. Here
// all threads of a block ask for the same word, which is the best case, a broadcast.
__constant__ float factors_constant[16384];

__global__ void sum_and_multiply_constant(const float* A, const float* B, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = (A[item] + B[item]) * factors_constant[blockIdx.x];
}

// The factors are in global memory, one for each block. Here this is as fast as constant memory: the L1 cache, too,
// needs only a single access if all lanes of a warp read the same word.
__global__ void sum_and_multiply_global(const float* A, const float* B, const float* factors, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) C[item] = (A[item] + B[item]) * factors[blockIdx.x];
}

// Vectorised access: each thread moves four neighbouring elements with one 16-byte load or store, so more bytes are
// under way at once. A block of 256 threads has the 1024 elements of one factor. The thread after the last whole vector
// takes the elements that are left. Expects arrays that are aligned to 16 bytes.
__global__ void sum_and_multiply_wide(const float* A, const float* B, const float* factors, float* C, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const int vectors = size / 4;
  const float factor = factors[blockIdx.x];
  if (item < vectors) {
    const float4 a = reinterpret_cast<const float4*>(A)[item];
    const float4 b = reinterpret_cast<const float4*>(B)[item];
    reinterpret_cast<float4*>(C)[item] = make_float4((a.x + b.x) * factor, (a.y + b.y) * factor,
                                                     (a.z + b.z) * factor, (a.w + b.w) * factor);
  } else if (item == vectors) {
    for (int i = 4 * vectors; i < size; ++i) C[i] = (A[i] + B[i]) * factor;
  }
}
