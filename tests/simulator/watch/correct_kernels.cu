__global__ void grid_stride(const int* in, int* out) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 4000; i += gridDim.x * blockDim.x) {
    out[i] = in[i];
    out[i] += 1;
  }
}

__global__ void neighbouring_bytes(const int* in, int* out) {
  unsigned char* const bytes = reinterpret_cast<unsigned char*>(out);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  bytes[i] = in[i];
  bytes[i] = bytes[i] + 1;
  __shared__ unsigned char tile[64];
  tile[threadIdx.x] = in[i];
  __syncthreads();
  tile[63 - threadIdx.x] += 1;
}

__global__ void counts(const int* in, int* out) {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[blockIdx.x * blockDim.x + threadIdx.x] % 16], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

__global__ void tree(const int* in, int* out) {
  __shared__ int sums[64];
  sums[threadIdx.x] = in[threadIdx.x];
  for (int half = 32; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

__global__ void warp_synchronous(const int* in, int* out) {
  __shared__ int sums[64];
  sums[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32) {
    int sum = sums[threadIdx.x] + sums[threadIdx.x + 32];
    for (int half = 16; half > 0; half /= 2) {
      __syncwarp();
      sums[threadIdx.x] = sum;
      __syncwarp();
      sum += sums[(threadIdx.x + half) % 32];
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
  }
}

__global__ void halves_of_a_warp(const int* in, int* out) {
  __shared__ int tile[64];
  const unsigned mask = threadIdx.x % 32 < 16 ? 0x0000ffff : 0xffff0000;
  tile[threadIdx.x] = in[threadIdx.x];
  for (int turn = 0; turn < 3; ++turn) {
    __syncwarp(mask);
    const int value = tile[threadIdx.x ^ 5];
    __syncwarp(mask);
    tile[threadIdx.x] = value + turn;
  }
  __syncwarp();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x ^ 31];
}

__global__ void only_some_lanes(const int* in, int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x % 32 < 20) {
    const unsigned mask = 0x000fffff;
    __syncwarp(mask);
    const int value = tile[threadIdx.x / 32 * 32 + 19 - threadIdx.x % 32];
    __syncwarp(mask);
    tile[threadIdx.x] = value;
  }
}

__global__ void ordered_by_shuffles(const int* in, int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  int sum = in[threadIdx.x];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffff, sum, lanes);
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x ^ 1] + sum;
}

__global__ void last_block(const int* in, int* out) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    out[16 + blockIdx.x] = in[blockIdx.x];
    __threadfence();
    is_last = atomicAdd(&out[0], 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x < gridDim.x) {
    out[1000 + threadIdx.x] = out[16 + threadIdx.x];
    if (threadIdx.x == 0) out[0] = 0;
  }
}

__global__ void last_block_of_all_threads(const int* in, int* out) {
  __shared__ bool is_last;
  out[64 + blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(&out[0], 1) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  int sum = 0;
  for (int block = 0; block < gridDim.x; ++block) sum += out[64 + block * blockDim.x + (threadIdx.x ^ 1)];
  out[3000 + threadIdx.x] = sum;
}

__global__ void last_warp(const int* in, int* out) {
  __shared__ int partial[2], arrived;
  if (threadIdx.x == 0) arrived = 0;
  __syncthreads();
  int ticket = 0;
  if (threadIdx.x % 32 == 0) {
    partial[threadIdx.x / 32] = in[threadIdx.x];
    __threadfence_block();
    ticket = atomicAdd(&arrived, 1);
  }
  ticket = __shfl_sync(0xffffffff, ticket, 0);
  if (ticket == 1 && threadIdx.x % 32 == 1) out[blockIdx.x] = partial[0] + partial[1];
}

__global__ void lock_between_blocks(const int* in, int* out) {
  if (threadIdx.x > 0) return;
  for (int tries = 0; atomicCAS(&out[0], 0, 1) != 0 && tries < 1000000; ++tries) __nanosleep(10);
  __threadfence();
  out[1] = out[1] + in[blockIdx.x];
  __threadfence();
  atomicExch(&out[0], 0);
}

__global__ void vectors(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int4 four = reinterpret_cast<const int4*>(in)[i % 1000];
  if (i < 1000) reinterpret_cast<int4*>(out)[i] = make_int4(four.w, four.z, four.y, four.x);
}

struct Padded { char letter; int number; };
__global__ void structures(const int* in, int* out) {
  __shared__ Padded tile[64];
  tile[threadIdx.x].letter = 'a';
  tile[threadIdx.x].number = in[threadIdx.x];
  __syncthreads();
  const Padded other = tile[63 - threadIdx.x];
  out[blockIdx.x * blockDim.x + threadIdx.x] = other.number + other.letter;
}

__constant__ int weights[4] = {1, 2, 3, 4};
__device__ void sort_two(int& a, int& b) {
  if (a > b) { const int c = a; a = b; b = c; }
}
__global__ void local_memory(const int* in, int* out) {
  int own[4];
  for (int k = 0; k < 4; ++k) own[k] = in[(threadIdx.x * 7 + k) % 64] * weights[k];
  for (int k = 0; k < 3; ++k) sort_two(own[k], own[(k + in[1]) % 4]);
  const char* const digits = "0123456789";
  out[blockIdx.x * blockDim.x + threadIdx.x] = own[in[threadIdx.x] % 4] + digits[in[threadIdx.x] % 10];
}

__global__ void in_two_dimensions(const int* in, int* out) {
  __shared__ int tile[8][9];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 8 + threadIdx.x];
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 64 + threadIdx.y * 8 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// The first thread waits for the last one.
__global__ void flag_between_threads(const int* in, int* out) {
  volatile int* const flags = out;
  if (threadIdx.x == blockDim.x - 1) {
    out[100 + blockIdx.x] = in[blockIdx.x];
    __threadfence();
    flags[blockIdx.x] = 1;
  }
  if (threadIdx.x == 0) {
    while (flags[blockIdx.x] == 0) {}
    __threadfence();
    out[200 + blockIdx.x] = out[100 + blockIdx.x];
  }
}

// Each block waits for the one that began before it.
__global__ void chain_of_blocks(const int* in, int* out) {
  volatile int* const flags = out + 100;
  if (threadIdx.x > 0) return;
  const int turn = atomicAdd(&out[0], 1);
  int sum = in[turn];
  if (turn > 0) {
    while (flags[turn - 1] == 0) {}
    __threadfence();
    sum += out[200 + turn - 1];
  }
  out[200 + turn] = sum;
  __threadfence();
  flags[turn] = 1;
}

__global__ void read_by_all_written_by_one(const int* in, int* out) {
  __shared__ int flag;
  for (int turn = 0; turn < 3; ++turn) {
    if (threadIdx.x == 0) flag = in[turn];
    __syncthreads();
    const int seen = flag;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] += seen;
  }
}

// Kernel, blocks x threads: expected defect, and the comments of its two lines.
// expect: grid_stride, 16 x 64: nothing
// expect: neighbouring_bytes, 16 x 64: nothing
// expect: counts, 16 x 64: nothing
// expect: tree, 16 x 64: nothing
// expect: warp_synchronous, 16 x 64: nothing
// expect: halves_of_a_warp, 16 x 64: nothing
// expect: only_some_lanes, 16 x 64: nothing
// expect: ordered_by_shuffles, 16 x 64: nothing
// expect: last_block, 16 x 64: nothing
// expect: last_block_of_all_threads, 16 x 64: nothing
// expect: last_warp, 16 x 64: nothing
// expect: lock_between_blocks, 16 x 64: nothing
// expect: vectors, 16 x 64: nothing
// expect: structures, 16 x 64: nothing
// expect: local_memory, 16 x 64: nothing
// expect: read_by_all_written_by_one, 16 x 64: nothing
// expect: flag_between_threads, 16 x 64: nothing
// expect: chain_of_blocks, 16 x 64: nothing
