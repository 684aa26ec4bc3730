__global__ void diverge(const int* in, int* out) {
  if (threadIdx.x < 32)
    __syncthreads();  // first
  else
    __syncthreads();  // second
  out[threadIdx.x] = in[threadIdx.x];
}

__global__ void diverge_in_a_line(const int* in, int* out) {
  if (threadIdx.x < 32) __syncthreads(); else __syncthreads();  // one line
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

__global__ void reads_from_a_lane_that_returned(const int* in, int* out) {
  if (threadIdx.x >= 20) return;
  const int next = __shfl_down_sync(0xffffffff, in[threadIdx.x], 1);
  out[threadIdx.x] = threadIdx.x < 19 ? next : 0;
}

__global__ void votes_where_others_shuffle(const int* in, int* out) {
  int value = in[threadIdx.x];
  if (threadIdx.x < 16)
    value += __shfl_xor_sync(0xffffffff, value, 8);  // shuffles
  else
    value += __ballot_sync(0xffffffff, value);  // votes
  out[threadIdx.x] = value;
}

__global__ void votes_without_lanes_that_returned(const int* in, int* out) {
  if (threadIdx.x >= 20) return;
  __syncwarp();
  if (__match_any_sync(0xffffffff, 0) != 0xfffff) __trap();
  if (__reduce_min_sync(0xffffffff, 5) != 5) __trap();
  out[threadIdx.x] = in[threadIdx.x];
}
