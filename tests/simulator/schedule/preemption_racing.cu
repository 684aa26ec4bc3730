__global__ void count_without_atomics(const int* in, int* out) {
  out[in[blockIdx.x * blockDim.x + threadIdx.x]]++;
}

__global__ void count_in_shared_without_barrier(const int* in, int* out) {
  __shared__ int counts[16];
  if (threadIdx.x < 16) counts[threadIdx.x] = 0;
  atomicAdd(&counts[in[blockIdx.x * blockDim.x + threadIdx.x]], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}
