__global__ void compare_and_swap_lock(const int* in, int* out) {
  while (atomicCAS(&out[1], 0, 1) != 0) {}
  __threadfence();
  out[0] += in[1];
  __threadfence();
  atomicExch(&out[1], 0);
}

__global__ void exchange_lock(const int* in, int* out) {
  while (atomicExch(&out[1], 1) == 1) {}
  __threadfence();
  out[0] += in[1];
  __threadfence();
  atomicExch(&out[1], 0);
}

__global__ void lock_in_a_branch(const int* in, int* out) {
  for (bool is_done = false; !is_done;) {
    if (atomicCAS(&out[1], 0, 1) == 0) {
      __threadfence();
      out[0] += in[1];
      __threadfence();
      atomicExch(&out[1], 0);
      is_done = true;
    }
  }
}

__global__ void ticket_lock(const int* in, int* out) {
  const int mine = atomicAdd(&out[2], 1);
  while (atomicAdd(&out[3], 0) != mine) __nanosleep(20);
  __threadfence();
  out[0] += in[1];
  __threadfence();
  atomicAdd(&out[3], 1);
}

__global__ void block_lock(const int* in, int* out) {
  __shared__ int lock, sum;
  if (threadIdx.x == 0) lock = sum = 0;
  __syncthreads();
  while (atomicCAS_block(&lock, 0, 1) != 0) {}
  __threadfence_block();
  sum += in[1];
  __threadfence_block();
  atomicExch_block(&lock, 0);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&out[0], sum);
}

__global__ void first_waits_for_last(const int* in, int* out) {
  __shared__ int box, is_full;
  if (threadIdx.x == 0) is_full = 0;
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1) {
    box = in[blockDim.x];
    __threadfence_block();
    atomicExch(&is_full, 1);
  }
  if (threadIdx.x == 0) {
    while (atomicOr(&is_full, 0) == 0) {}
    __threadfence_block();
    atomicAdd(&out[0], box);
  }
}

__global__ void last_waits_for_first(const int* in, int* out) {
  volatile int* const flag = out + 100 + blockIdx.x;
  int* const box = out + 200 + blockIdx.x;
  if (threadIdx.x == 0) {
    *box = in[blockDim.x];
    __threadfence();
    *flag = 1;
  }
  if (threadIdx.x == blockDim.x - 1) {
    while (*flag == 0) {}
    __threadfence();
    atomicAdd(&out[0], *box);
  }
}

__global__ void barrier_of_the_grid(const int* in, int* out) {
  int* const mine = out + 100 + blockIdx.x * blockDim.x;
  mine[threadIdx.x] = in[1];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(&out[1], 1);
    while (atomicAdd(&out[1], 0) < (int)gridDim.x) {}
    __threadfence();
  }
  __syncthreads();
  const int* const next = out + 100 + (blockIdx.x + 1) % gridDim.x * blockDim.x;
  atomicAdd(&out[0], next[threadIdx.x]);
}

__global__ void look_back(const int* in, int* out) {
  __shared__ int ticket;
  if (threadIdx.x == 0) ticket = atomicAdd(&out[1], 1);
  __syncthreads();
  if (threadIdx.x != 0) return;
  int before = 0;
  while (ticket > 0 && (before = atomicAdd(&out[99 + ticket], 0)) == 0) {}
  __threadfence();
  atomicExch(&out[100 + ticket], before + (int)blockDim.x);
  if (ticket == (int)gridDim.x - 1) out[0] = before + blockDim.x;
}

__global__ void looks_often_and_goes_on(const int* in, int* out) {
  for (int i = 0; i < 5000; ++i) atomicMax(&out[5], i % 7);
  for (int i = 0; i < 200; ++i)
    if (atomicAdd(&out[6], 0) != 0) break;
  atomicAdd(&out[0], in[1]);
}

__device__ int ready;
__global__ void nobody_comes(const int* in, int* out) {
  volatile int* const flag = &ready;
  if (threadIdx.x == 3) while (*flag == 0) {}  // nobody
  out[blockIdx.x * blockDim.x + threadIdx.x] = in[1];
}

__global__ void never_unlocked(const int* in, int* out) {
  while (atomicCAS(&out[1], 0, 1) != 0) {}  // locked
  __threadfence();
  out[0] += in[1];
}

__global__ void holder_waits(const int* in, int* out) {
  while (atomicCAS(&out[1], 0, 1) != 0) {}  // spin
  __syncthreads();  // meet
  atomicExch(&out[1], 0);
}
