__global__ void count_predicates(const int* in, int* out) {
  const int mine = in[threadIdx.x];
  const int count = __syncthreads_count(mine > 0);
  const int all = __syncthreads_and(mine > 0);
  const int any = __syncthreads_or(mine > 99);
  if (threadIdx.x == 0) out[blockIdx.x] = 100 * count + 10 * all + any;
}

__global__ void pass_along(const int* in, int* out) {
  __shared__ int tile[1024];
  int mine = in[0] + threadIdx.x;
  for (int turn = 0; turn < 5; ++turn) {
    tile[threadIdx.x] = mine;
    __syncthreads();
    mine = tile[(threadIdx.x + 1) % blockDim.x];
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = mine;
}

__global__ void leave_before_the_barrier(const int* in, int* out) {
  if (threadIdx.x >= 40) return;
  out[threadIdx.x] = __syncthreads_count(1) + in[0];
}

__global__ void leave_one_by_one(const int* in, int* out) {
  for (int turn = 0; turn < threadIdx.x; ++turn) __syncthreads();
  out[threadIdx.x] = in[0];
}
