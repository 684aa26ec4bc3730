__global__ void of_blocks(const int* in, int* out) {
  volatile int* const o = out;
  if (threadIdx.x == 0) o[0] = o[0] + in[1];  // update
}

__global__ void of_doubles(const int* in, int* out) {
  volatile double* const o = (volatile double*)out;
  if (threadIdx.x == 0) *o += in[1];  // of a double
}

__global__ void by_threads_of_a_block(const int* in, int* out) {
  volatile int* const o = out + blockIdx.x;
  *o = *o + in[1];  // of a block
}

__device__ void locked(const int* in, int* out, bool has_fence, bool has_block_scope) {
  volatile int* const o = out;
  if (threadIdx.x != 0) return;
  while (atomicCAS(&out[1], 0, 1) != 0) {}
  if (has_fence) { if (has_block_scope) __threadfence_block(); else __threadfence(); }
  o[0] = o[0] + in[1];  // locked
  if (has_fence) { if (has_block_scope) __threadfence_block(); else __threadfence(); }
  atomicExch(&out[1], 0);
}
__global__ void lock_with_fences(const int* in, int* out) { locked(in, out, true, false); }
__global__ void lock_with_fences_of_a_block(const int* in, int* out) { locked(in, out, true, true); }
__global__ void lock_without_fences(const int* in, int* out) { locked(in, out, false, false); }

__global__ void takes_turns(const int* in, int* out) {
  volatile int* const turn = out + 1;
  if (threadIdx.x != 0) return;
  while (*turn != (int)blockIdx.x) {}
  __threadfence();
  out[0] += in[1];
  __threadfence();
  *turn = *turn + 1;
}

__global__ void ticket_lock(const int* in, int* out) {
  volatile int* const serving = out + 2;
  if (threadIdx.x != 0) return;
  const int mine = atomicAdd(&out[1], 1);
  while (*serving != mine) {}
  __threadfence();
  out[0] += in[1];
  __threadfence();
  *serving += 1;
}

__global__ void grid_barrier(const int* in, int* out) {
  volatile int* const generation = out + 1;
  for (int round = 0; round < 4; ++round) {
    if (threadIdx.x == 0) {
      const int now = *generation;
      __threadfence();
      if (atomicAdd(&out[2], 1) == (int)gridDim.x - 1) {
        out[2] = 0;
        __threadfence();
        *generation = *generation + 1;
      } else {
        while (*generation == now) {}
      }
      __threadfence();
    }
    __syncthreads();
  }
}

__global__ void says_that_it_was_there(const int* in, int* out) {
  volatile int* const is_changed = out;
  if (in[threadIdx.x] % 2 == 1 && *is_changed == 0) *is_changed = 1;
}

__global__ void own_words(const int* in, int* out) {
  volatile int* const o = out;
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 3; ++i) o[item] = o[item] + in[item];
}

__global__ void stores_alone(const int* in, int* out) {
  volatile int* const o = out;
  o[0] = in[blockIdx.x];
}

__global__ void after_a_barrier(const int* in, int* out) {
  volatile int* const o = out + blockIdx.x;
  for (int turn = 0; turn < 4; ++turn) {
    if ((int)threadIdx.x == turn * 9) *o = *o + in[1];
    __syncthreads();
  }
}

// Kernel, blocks x threads: expected defect, and the comments of its two lines.
// expect: of_blocks, 4 x 64: global race, update, update
// expect: of_doubles, 4 x 64: global race, of a double, of a double
// expect: by_threads_of_a_block, 4 x 64: global race, of a block, of a block
// expect: lock_without_fences, 4 x 64: global race, locked, locked
// expect: lock_with_fences_of_a_block, 4 x 64: global race, locked, locked
// expect: lock_with_fences, 4 x 64: nothing
// expect: takes_turns, 4 x 64: nothing
// expect: ticket_lock, 4 x 64: nothing
// expect: grid_barrier, 4 x 64: nothing
// expect: after_a_barrier, 4 x 64: nothing
// expect: says_that_it_was_there, 4 x 64: nothing
// expect: own_words, 4 x 64: nothing
// expect: stores_alone, 4 x 64: nothing
