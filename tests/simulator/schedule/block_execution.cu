#define MEET_WARP __syncwarp()

__device__ int number() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__device__ void note(int* log, int what) {
  const int place = log[0];
  log[0] = place + 1;
  log[1 + place] = what;
}

__global__ void index_in_a_loop(int* out) {
  out[number()] = threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z;
}

__global__ void index_in_a_ring(int* out) {
  __syncthreads();
  out[number()] = threadIdx.x + 100 * threadIdx.y;
  __syncthreads();
  out[number()] += 10000 * threadIdx.z;
}

__global__ void order_in_a_ring(int* log) {
  note(log, number());
  __syncthreads();
  note(log, 1000 + number());
  if (number() % 3 == 1) return;
  __syncthreads();
  note(log, 2000 + number());
  if (number() == 5) return;
  __syncthreads();
  note(log, 3000 + number());
}

__global__ void order_behind_a_barrier(int* logs) {
  __syncthreads();
  note(logs + 9 * blockIdx.x, number());
}

__global__ void order_by_the_scheduler(int* log) {
  if (number() == 0) __syncwarp(1);
  note(log, number());
  __syncthreads();
  note(log, 1000 + number());
  if (number() % 3 == 1) return;
  __syncthreads();
  note(log, 2000 + number());
  if (number() == 5) return;
  __syncthreads();
  note(log, 3000 + number());
}

__global__ void order_with_a_change(int* log) {
  note(log, number());
  __syncthreads();
  note(log, 1000 + number());
  if (number() % 3 == 1) return;
  if (number() == 6) __syncwarp(1 << 6);
  __syncthreads();
  note(log, 2000 + number());
  if (number() == 5) return;
  __syncthreads();
  note(log, 3000 + number());
}

__global__ void meet_in_a_loop(int* out) {
  const int mine = number();
  if (mine >= 40) MEET_WARP;
  out[mine] = threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z;
}

__global__ void take_a_lock(int* lock) {
  while (atomicExch(&lock[0], 1) == 1);
  __threadfence();
  lock[1] = lock[1] + 1;
  __syncwarp(1u << number() % 32);
  __threadfence();
  atomicExch(&lock[0], 0);
}

__global__ void sum_with_shuffles(int* out) {
  __shared__ int sums[4];
  const int lane = threadIdx.x % 32;
  int mine = threadIdx.x;
  __syncthreads();
  for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(0xffffffff, mine, step);
  if (lane == 0) sums[threadIdx.x / 32] = mine;
  const int positive = __syncthreads_count(threadIdx.x % 4 == 0);
  if (threadIdx.x == 0) out[0] = sums[0] + sums[1] + sums[2] + sums[3];
  out[1 + threadIdx.x] = positive;
}

__global__ void predicates_in_a_ring(int* out) {
  const int first = __syncthreads_count(threadIdx.x < 7);
  if (threadIdx.x == 9) __syncwarp(1 << 9);
  const int second = __syncthreads_or(threadIdx.x == 3);
  out[threadIdx.x] = 10 * first + second;
}

namespace inner {
__global__ void in_a_namespace(int* out) { out[threadIdx.x] = 5; }
}

template <int value>
__global__ void of_a_template(int* out) { out[threadIdx.x] = value; }
template __global__ void of_a_template<6>(int* out);

__global__ void overloaded(int* out) { out[threadIdx.x] = 7; }
__global__ void overloaded(float* out) { out[threadIdx.x] = 8; }

static __global__ void of_this_file_alone(int* out) { out[threadIdx.x] = 9; }
extern "C" __global__ void in_c(int* out) { out[threadIdx.x] = 10; }
