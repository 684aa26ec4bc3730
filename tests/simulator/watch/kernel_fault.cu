__global__ void write_anywhere(int* out) {
  __syncthreads();
  if (blockIdx.x == 1 && threadIdx.x == 3)
    *(int*)0x10 = out[0];  // line 4
  __syncthreads();
}

__global__ void read_null(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];  // line 9
}

__global__ void divide(const int* in, int* out) {
  out[threadIdx.x] = 100 / in[threadIdx.x];  // line 13
}

__global__ void need_a_megabyte(int* out) {
  volatile char bytes[1 << 20];
  for (int i = 0; i < 1 << 20; i += 1000) bytes[(i + out[0]) % (1 << 20)] = i;
  out[threadIdx.x] = bytes[out[1]];
}

__device__ __noinline__ int depth(int* out, int level) {
  volatile int here[16];
  here[level % 16] = level;
  return depth(out, level + 1) + here[level % 16];
}

__global__ void recurse(int* out) {
  out[1] = depth(out, 0);
}

__global__ void print_a_wild_string(int* out) {
  printf("%s", (const char*)0x10);
  out[0] = 1;
}

__device__ int meet(int* out) noexcept {
  if (threadIdx.x == 0) __trap();
  __syncthreads();
  return out[0];
}

__global__ void give_up_behind_noexcept(int* out) {
  if (threadIdx.x > 0) __syncthreads();
  out[1] = meet(out);
}

__device__ __noinline__ int climb(int* out, int level) {
  volatile int here[4];
  here[level % 4] = level;
  __syncthreads();
  return climb(out, level + 1) + here[level % 4];
}

__global__ void recurse_around_barriers(int* out) {
  out[1] = climb(out, 0);
}

__global__ void fault_in_every_thread(int* out) {
  *(int*)(8 * (threadIdx.x + 1)) = out[0];
}
