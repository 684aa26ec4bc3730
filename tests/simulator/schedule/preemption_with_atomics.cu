__global__ void count_by_compare_and_swap(const int* in, int* out) {
  __shared__ int counts[16];
  if (threadIdx.x < 16) counts[threadIdx.x] = 0;
  __syncthreads();
  int* count = &counts[in[blockIdx.x * blockDim.x + threadIdx.x]];
  for (int seen = *count, before; (before = atomicCAS(count, seen, seen + 1)) != seen;) seen = before;
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}

__global__ void count_in_float(const int* in, int* out) {
  __shared__ float counts[16];
  if (threadIdx.x < 16) counts[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&counts[in[blockIdx.x * blockDim.x + threadIdx.x]], 1.0f);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], int(counts[threadIdx.x]));
}
