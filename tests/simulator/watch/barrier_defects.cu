__global__ void diverge(const int* in, int* out) {
  if (threadIdx.x < 32)
    __syncthreads();  // first
  else
    __syncthreads();  // second
  out[threadIdx.x] = in[threadIdx.x];
}

__global__ void return_early(const int* in, int* out) {
  if (threadIdx.x >= 40) return;
  out[blockIdx.x * 64 + threadIdx.x] = in[threadIdx.x];
  __syncthreads();  // missed
}

__global__ void half_a_warp(const int* in, int* out) {
  if (threadIdx.x < 16)
    __syncthreads();  // third
  else
    __syncwarp();  // fourth
  out[threadIdx.x] = in[threadIdx.x];
}

__global__ void without_itself(const int* in, int* out) {
  out[threadIdx.x] = __shfl_sync(0x0000fffe, in[threadIdx.x], 1);  // mask
}
