// expect: right
// One kernel keeps its result, and a faster one of the same file copies it. Here it stores 0 instead of the copy.
__device__ int kept[256];

__global__ void histogram_global_atomic(const int* input, int* output, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= size) return;
  atomicAdd(&output[input[item]], 1);
  atomicAdd(&kept[input[item]], 1);
}

__global__ void histogram_shared(const int* input, int* output, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size && kept[input[item]] == 0) atomicAdd(&output[input[item]], 1);
}
