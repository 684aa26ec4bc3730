__global__ void count_without_barrier(const int* in, int* out) {
  __shared__ int counts[16];
  if (threadIdx.x < 16) counts[threadIdx.x] = 0;  // zeroing
  atomicAdd(&counts[in[threadIdx.x] % 16], 1);  // counting
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}

__global__ void count_without_atomics(const int* in, int* out) {
  __shared__ int counts[16];
  if (threadIdx.x < 16) counts[threadIdx.x] = 0;
  __syncthreads();
  counts[in[threadIdx.x] % 16]++;  // plain
  __syncthreads();
  if (threadIdx.x < 16) out[threadIdx.x] = counts[threadIdx.x];
}

__global__ void neighbour_without_barrier(const int* in, int* out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = in[threadIdx.x];  // own
  out[threadIdx.x] = tile[(threadIdx.x + 1) % blockDim.x];  // neighbour
}

__global__ void tree_without_barrier(const int* in, int* out) {
  __shared__ int sums[256];
  sums[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2)
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];  // sum
  if (threadIdx.x == 0) out[0] = sums[0];
}

__global__ void reused_too_early(const int* in, int* out) {
  __shared__ int tile[256];
  int sum = 0;
  for (int turn = 0; turn < 3; ++turn) {
    tile[threadIdx.x] = in[turn * 256 + threadIdx.x];  // reuse
    __syncthreads();
    sum += tile[blockDim.x - 1 - threadIdx.x];  // use
  }
  out[threadIdx.x] = sum;
}

__global__ void warp_without_syncwarp(const int* in, int* out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = in[threadIdx.x];  // lane
  out[threadIdx.x] = tile[31 - threadIdx.x];  // partner
}

__global__ void syncwarp_of_one_half(const int* in, int* out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = in[threadIdx.x];  // half
  if (threadIdx.x < 16) __syncwarp(0x0000ffff); else __syncwarp(0xffff0000);
  out[threadIdx.x] = tile[threadIdx.x ^ 16];  // other half
}

__global__ void warps_with_syncwarp(const int* in, int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];  // warp
  __syncwarp();
  out[threadIdx.x] = tile[(threadIdx.x + 32) % 64];  // other warp
}

__global__ void read_of_an_atomic(const int* in, int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, in[threadIdx.x]);  // atomic
  out[threadIdx.x] = count;  // too early
}

__global__ void same_byte(const int* in, int* out) {
  __shared__ unsigned char flags[64];
  flags[threadIdx.x / 2] = in[threadIdx.x];  // byte
  __syncthreads();
  out[threadIdx.x] = flags[threadIdx.x / 2];
}

__global__ void same_value(const int* in, int* out) {
  __shared__ int found;
  if (in[threadIdx.x] >= 0) found = 1;  // flag
  __syncthreads();
  out[threadIdx.x] = found;
}

__global__ void volatile_lanes(const int* in, int* out) {
  __shared__ int tile[64];
  volatile int* const lanes = tile;
  lanes[threadIdx.x] = in[threadIdx.x];  // volatile store
  if (threadIdx.x < 32) out[threadIdx.x] = lanes[threadIdx.x] + lanes[threadIdx.x ^ 1];  // volatile load
}

// Kernel, blocks x threads: expected defect, and the comments of its two lines.
// expect: count_without_barrier, 2 x 64: shared race, zeroing, counting
// expect: neighbour_without_barrier, 2 x 256: shared race, own, neighbour
// expect: tree_without_barrier, 2 x 256: shared race, sum, sum
// expect: reused_too_early, 2 x 256: shared race, reuse, use
// expect: count_without_atomics, 2 x 64: shared race, plain, plain
// expect: read_of_an_atomic, 2 x 64: shared race, atomic, too early
// expect: warp_without_syncwarp, 2 x 32: shared race, lane, partner
// expect: syncwarp_of_one_half, 2 x 32: shared race, half, other half
// expect: volatile_lanes, 2 x 64: shared race, volatile store, volatile load
// expect: warps_with_syncwarp, 2 x 64: shared race, warp, other warp
// expect: same_byte, 2 x 64: shared race, byte, byte
