
__device__ void hand_over(const int* in, int* out, int* box, int* flag, bool meets_before, bool has_fence,
                          bool meets_after) {
  const int lane = threadIdx.x % 32;
  if (threadIdx.x / 32 == 0) {
    box[lane] = in[lane];  // write
    if (meets_before) __syncwarp();
    if (lane == 0) {
      if (has_fence) __threadfence_block();
      atomicExch(flag, 1);
    }
  } else if (threadIdx.x / 32 == 1) {
    if (lane == 0) {
      while (atomicAdd(flag, 0) == 0) {}
      __threadfence_block();
    }
    if (meets_after) __syncwarp();
    out[blockIdx.x * 32 + lane] = box[31 - lane];  // read
  }
}

#define HAND_OVER(name, meets_before, has_fence, meets_after)                  \
  __global__ void name(const int* in, int* out) {                              \
    __shared__ int box[32], flag;                                              \
    if (threadIdx.x == 0) flag = 0;                                            \
    __syncthreads();                                                           \
    hand_over(in, out, box, &flag, meets_before, has_fence, meets_after);      \
  }
HAND_OVER(from_warp_to_warp, true, true, true)
HAND_OVER(without_meeting_before, false, true, true)
HAND_OVER(without_a_fence, true, false, true)
HAND_OVER(without_meeting_after, true, true, false)

__global__ void by_half_a_warp(const int* in, int* out) {
  __shared__ int box[32], flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 16) {
    box[lane] = in[lane];
    __syncwarp(0xffff);
    if (lane == 0) { __threadfence_block(); atomicExch(&flag, 1); }
  } else if (threadIdx.x >= 32 && threadIdx.x < 48) {
    if (lane == 3) { while (atomicAdd(&flag, 0) == 0) {} __threadfence_block(); }
    __syncwarp(0xffff);
    out[lane] = box[15 - lane];
  }
}

__global__ void beside_half_a_warp(const int* in, int* out) {
  __shared__ int box[32], flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    box[threadIdx.x] = in[threadIdx.x];  // beside
    if (threadIdx.x < 16) __syncwarp(0xffff);
    if (threadIdx.x == 0) { __threadfence_block(); atomicExch(&flag, 1); }
    __syncwarp();
  } else if (threadIdx.x == 32) {
    while (atomicAdd(&flag, 0) == 0) {}
    __threadfence_block();
    out[0] = box[20];  // beyond
  }
}

__device__ int parts[4096];
__device__ unsigned ticket;
__device__ void last_block(const int* in, int* out, bool meets) {
  parts[blockIdx.x * 32 + threadIdx.x] = in[threadIdx.x];  // part
  if (meets) __syncwarp();
  unsigned before = 0;
  if (threadIdx.x == 0) {
    __threadfence();
    before = atomicInc(&ticket, gridDim.x - 1);
    __threadfence();
  }
  before = __shfl_sync(~0u, before, 0);
  if (before != gridDim.x - 1) return;
  int sum = 0;
  for (unsigned block = 0; block < gridDim.x; ++block)
    sum += parts[block * 32 + (threadIdx.x + 1) % 32];  // sum
  atomicAdd(out, sum);
}
__global__ void last_block_of_warps(const int* in, int* out) { last_block(in, out, true); }
__global__ void last_block_that_did_not_meet(const int* in, int* out) { last_block(in, out, false); }

__global__ void each_lane_has_a_fence(const int* in, int* out) {
  parts[blockIdx.x * 32 + threadIdx.x] = in[threadIdx.x];
  __threadfence();
  __syncwarp();
  bool is_last = false;
  if (threadIdx.x == 0) is_last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
  if (!is_last) return;
  __threadfence();
  for (unsigned i = 0; i < 32 * gridDim.x; ++i) out[0] += parts[i];
}

// Kernel, blocks x threads: expected defect, and the comments of its two lines.
// expect: from_warp_to_warp, 4 x 64: nothing
// expect: by_half_a_warp, 1 x 64: nothing
// expect: last_block_of_warps, 4 x 32: nothing
// expect: each_lane_has_a_fence, 4 x 32: nothing
// expect: without_meeting_before, 4 x 64: shared race, write, read
// expect: without_a_fence, 4 x 64: shared race, write, read
// expect: without_meeting_after, 4 x 64: shared race, write, read
// expect: beside_half_a_warp, 4 x 64: shared race, beside, beyond
// expect: last_block_that_did_not_meet, 4 x 32: global race, part, sum
