// C[i] = A[i] + B[i], for i in [0, size), through shared memory
//
//   A, B   the two vectors, read only
//   C      their sum
//   size   how many elements each of them has
//
// temp is one array for the whole block. The launch gives it its size: three
// floats for each of the block's 1024 threads. Every block has its own temp.
//
// To do: put A[item], B[item] and their sum into three places of temp that no
// other thread of the block uses. Store the sum from there. About five lines.
// Check it: gpulab check shared_memory.cu

__global__ void vector_add_extern_slots(const float* A, const float* B, float* C, int size) {
  extern __shared__ float temp[];
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) {
    // TODO: fill this thread's three places, and store the last of them
  }
}
