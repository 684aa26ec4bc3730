__global__ void sum(const int* in, int* out) {
  out[in[threadIdx.x] % 16] += 1;
}

__global__ void neighbours(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < 4000) out[i - 1] = out[i] + in[i];
}

__global__ void three_races(const int* in, int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x % 64] = in[threadIdx.x];
  out[threadIdx.x] = tile[63 - threadIdx.x % 64];
  out[1000] = out[1001] + blockIdx.x;
  out[1001] = threadIdx.x;
}

__global__ void ticket_without_fence(const int* in, int* out) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    out[1000 + blockIdx.x % 1000] = in[blockIdx.x % 1000];
    is_last = atomicAdd(&out[0], 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last) atomicAdd(&out[1], out[1000 + threadIdx.x]);
}
