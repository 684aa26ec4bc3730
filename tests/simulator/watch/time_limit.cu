__global__ void spin(int* memory) {
  volatile int* out = memory;
  if (blockIdx.x == 3 && threadIdx.x == 17)
    while (out[0] == 0) out[1] = 5;  // line 4
}

__global__ void wait_for_another_thread(int* memory) {
  volatile int* out = memory;
  if (threadIdx.x == 1) out[0] = 1;
  while (out[0] == 0);
}

__global__ void wait_behind_a_barrier(int* memory) {
  volatile int* out = memory;
  __syncthreads();
  while (out[0] == 0);
}

__global__ void meet_for_ever(int* memory) {
  volatile int* out = memory;
  while (out[0] == 0)
    __syncthreads();
}

__global__ void shuffle_for_ever(int* memory) {
  volatile int* out = memory;
  int mine = threadIdx.x;
  while (out[0] == 0)
    mine = __shfl_xor_sync(0xffffffff, mine, 1);
  out[1] = mine;
}

__device__ int spin_in_a_function(volatile int* out) noexcept {
  while (out[0] == 0) __syncthreads();
  return out[1];
}

__global__ void spin_behind_noexcept(int* memory) {
  volatile int* out = memory;
  out[2] = spin_in_a_function(out);
}

__global__ void add_for_ever(int* out) {
  const int thread = threadIdx.x;
  while (thread >= 0) atomicAdd(&out[thread], 0);  // line 45
}

__global__ void load_for_ever(const int* out) {
  while (__ldg(&out[0]) == 0);  // line 49
}

__global__ void take_a_tenth_of_a_second(int* memory) {
  volatile int* out = memory;
  const long long start = clock64();
  while (clock64() - start < 100000000) out[1] = 1;
}
