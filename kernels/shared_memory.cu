// C[i] = A[i] + B[i], for i in [0, size), with slots in shared memory: three words for A's element, B's, and their sum

// One slot for the whole block, and a data race: every thread overwrites the values of the others, and after the
// barrier all threads read what the last one left.
__global__ void vector_add_one_slot(const float* A, const float* B, float* C, int size) {
  __shared__ float temp[3];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    temp[0] = A[item];
    temp[1] = B[item];
    temp[2] = temp[0] + temp[1];
  }
  __syncthreads();
  if (item < size) C[item] = temp[2];
}

// Static shared memory: a slot for each thread. The compiler must know the size of the array, so there
// is room for the largest block, even if a smaller one is launched.
__global__ void vector_add_static_slots(const float* A, const float* B, float* C, int size) {
  __shared__ float temp[3 * 1024];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const int offset = threadIdx.x * 3;
  if (item < size) {
    temp[offset + 0] = A[item];
    temp[offset + 1] = B[item];
    temp[offset + 2] = temp[offset + 0] + temp[offset + 1];
    C[item] = temp[offset + 2];
  }
}

// Dynamic shared memory. The launch gives an extern array its size: here 3 * sizeof(float) bytes for each thread of the
// block. If the launch asks for nothing, the array has no memory.
__global__ void vector_add_extern_slots(const float* A, const float* B, float* C, int size) {
  extern __shared__ float temp[];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  const int offset = threadIdx.x * 3;
  if (item < size) {
    temp[offset + 0] = A[item];
    temp[offset + 1] = B[item];
    temp[offset + 2] = temp[offset + 0] + temp[offset + 1];
    C[item] = temp[offset + 2];
  }
}
