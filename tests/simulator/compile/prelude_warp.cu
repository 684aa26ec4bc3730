__global__ void shuffle(const int* in, int* out) {
  const int width = in[0], by = in[1], mine = 1000 + threadIdx.x;
  int* const row = out + 4 * threadIdx.x;
  row[0] = __shfl_sync(0xffffffff, mine, by, width);
  row[1] = __shfl_up_sync(0xffffffff, mine, by, width);
  row[2] = __shfl_down_sync(0xffffffff, mine, by, width);
  row[3] = __shfl_xor_sync(0xffffffff, mine, by, width);
}

__global__ void shuffle_types(const int* in, double* out) {
  const int lane = threadIdx.x, next = (lane + 1) % 32;
  double* const row = out + 4 * lane;
  row[0] = __shfl_sync(0xffffffff, in[0] * 0.5f + lane, next);
  row[1] = __shfl_sync(0xffffffff, in[0] * 0.1 + lane, next);
  row[2] = __shfl_sync(0xffffffff, (long long)lane << 40, next);
  row[3] = __shfl_sync(0xffffffff, (unsigned char)lane, next);
}

__global__ void vote(const int* in, int* out) {
  const int mine = in[threadIdx.x];
  int* const row = out + 6 * threadIdx.x;
  int same;
  row[0] = __ballot_sync(0xffffffff, mine > 2);
  row[1] = __any_sync(0xffffffff, mine > 2);
  row[2] = __all_sync(0xffffffff, mine > 2);
  row[3] = __match_any_sync(0xffffffff, mine);
  row[4] = __match_all_sync(0xffffffff, mine, &same);
  row[5] = same;
}

__global__ void reduce(const int* in, int* out) {
  const int mine = in[threadIdx.x];
  const unsigned bits = mine;
  int* const row = out + 9 * threadIdx.x;
  row[0] = __reduce_add_sync(0xffffffff, mine);
  row[1] = __reduce_min_sync(0xffffffff, mine);
  row[2] = __reduce_max_sync(0xffffffff, mine);
  row[3] = __reduce_add_sync(0xffffffff, bits);
  row[4] = __reduce_min_sync(0xffffffff, bits);
  row[5] = __reduce_max_sync(0xffffffff, bits);
  row[6] = __reduce_and_sync(0xffffffff, bits);
  row[7] = __reduce_or_sync(0xffffffff, bits);
  row[8] = __reduce_xor_sync(0xffffffff, bits);
}

__global__ void halves(const int* in, int* out) {
  const int mine = in[threadIdx.x];
  if (threadIdx.x < 16)
    out[threadIdx.x] = __shfl_sync(0x0000ffff, mine, 3);
  else
    out[threadIdx.x] = __shfl_sync(0xffff0000, mine, 20);
}

__global__ void hand_round(const int* in, int* out) {
  __shared__ int tile[32];
  const unsigned mask = threadIdx.x < 8 ? 0xffu : 0xffffff00u;
  const int first = threadIdx.x < 8 ? 0 : 8, count = threadIdx.x < 8 ? 8 : 24;
  for (int turn = 0; turn < 3; ++turn) {
    tile[threadIdx.x] = turn == 0 ? in[threadIdx.x] : out[threadIdx.x];
    __syncwarp(mask);
    out[threadIdx.x] = tile[first + (threadIdx.x - first + 1) % count];
    __syncwarp(mask);
  }
}

__global__ void sum_of_warp(const int* in, int* out) {
  const int item = threadIdx.y * blockDim.x + threadIdx.x;
  int sum = in[item];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffff, sum, lanes);
  if (item % 32 == 0) out[item / 32] = sum;
}

__global__ void return_early(const int* in, int* out) {
  if (threadIdx.x >= 20) return;
  __syncwarp();
  out[threadIdx.x] = __shfl_down_sync(0x000fffff, in[threadIdx.x], 1);
}

__global__ void leave_itself_out(int* out) {
  out[threadIdx.x] = __shfl_sync(0x0000ffff, 1, 0);
}
