__global__ void diverge(int* out) {
  if (threadIdx.x < 32)
    __syncthreads();  // first
  else
    __syncthreads();  // second
  out[threadIdx.x] = 1;
}

__global__ void diverge_in_a_late_block(int* out) {
  out[threadIdx.x] = 1;
  if (blockIdx.x < 500) return;
  if (threadIdx.x == 0) __syncthreads();  // third
  __syncthreads();  // fourth
}

__global__ void half_a_warp_at_the_barrier(int* out) {
  if (threadIdx.x < 16)
    __syncthreads();  // fifth
  else
    __syncwarp();  // sixth
  out[threadIdx.x] = 1;
}

__global__ void shuffle_in_a_branch(int* out) {
  int mine = threadIdx.x;
  if (threadIdx.x < 48) mine = __shfl_sync(0xffffffff, mine, 0);  // seventh
  __syncthreads();  // eighth
  out[threadIdx.x] = mine;
}

__global__ void give_up(int* out) {
  __syncthreads();
  if (blockIdx.x == 2 && threadIdx.x == 37) __trap();
  __syncthreads();
  out[threadIdx.x] = 1;
}

__global__ void give_up_in_two_dimensions(int* out) {
  if (blockIdx.y == 1 && threadIdx.y == 2 && threadIdx.x == 3) __trap();
  out[threadIdx.x] = 1;
}
