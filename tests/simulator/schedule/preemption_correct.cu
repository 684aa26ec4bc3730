__global__ void count_in_shared(const int* in, int* out) {
  __shared__ int counts[16];
  if (threadIdx.x < 16) counts[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&counts[in[blockIdx.x * blockDim.x + threadIdx.x]], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}

__global__ void sum_by_tree(const int* in, int* out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(&out[0], tile[0]);
}

__global__ void sum_by_shuffles(const int* in, int* out) {
  int sum = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffff, sum, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(&out[0], sum);
}

__global__ void sum_by_reduce(const int* in, int* out) {
  const int sum = __reduce_add_sync(0xffffffff, in[blockIdx.x * blockDim.x + threadIdx.x]);
  const bool all_here = __ballot_sync(0xffffffff, 1) == 0xffffffff;
  if (all_here && threadIdx.x % 32 == 0) atomicAdd((float*)&out[0], float(sum));
}

__global__ void transpose(const int* in, int* out) {
  __shared__ int tile[16][17];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * 64 + x];
  __syncthreads();
  out[(blockIdx.x * 16 + threadIdx.y) * 64 + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void square_the_matrix(const int* in, int* out) {
  __shared__ int left[16][16];
  extern __shared__ int right[];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  int sum = 0;
  for (int tile = 0; tile < 64; tile += 16) {
    left[threadIdx.y][threadIdx.x] = in[y * 64 + tile + threadIdx.x];
    right[threadIdx.y * 16 + threadIdx.x] = in[(tile + threadIdx.y) * 64 + x];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += left[threadIdx.y][k] * right[k * 16 + threadIdx.x];
    __syncthreads();
  }
  out[y * 64 + x] = sum;
}
