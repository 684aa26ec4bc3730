__global__ void count_without_atomics(const int* in, int* out) {
  out[in[blockIdx.x * blockDim.x + threadIdx.x] % 16]++;  // plain
}

__global__ void shift_in_place(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0) out[i - 1] = out[i] + in[i];  // shift
}

__global__ void every_block_zeroes(const int* in, int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = threadIdx.x - in[threadIdx.x] + 100 * blockIdx.x;  // zero
  __syncthreads();
  atomicAdd(&out[in[threadIdx.x] % 16], 1);  // add
}

__global__ void reads_of_the_next_block(const int* in, int* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];  // own
  __syncthreads();
  if (blockIdx.x + 1 < gridDim.x) atomicAdd(&out[4000], out[(blockIdx.x + 1) * blockDim.x + threadIdx.x]);  // next
}

__global__ void within_a_block(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];  // mine
  __syncthreads();
  out[threadIdx.x + 1000] = out[(threadIdx.x + 1) % blockDim.x];  // read
  out[threadIdx.x] = 7;  // write again
}

__global__ void ticket_without_fence(const int* in, int* out) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    out[16 + blockIdx.x] = in[blockIdx.x];  // partial
    is_last = atomicAdd(&out[0], 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x < gridDim.x) atomicAdd(&out[1], out[16 + threadIdx.x]);  // gather
}

__global__ void wrong_threads_partial(const int* in, int* out) {
  __shared__ bool is_last;
  if (threadIdx.x == 5) out[16 + blockIdx.x] = in[blockIdx.x];  // of five
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicAdd(&out[0], 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x < gridDim.x) atomicAdd(&out[1], out[16 + threadIdx.x]);  // of all
}

__global__ void wide_and_narrow(const int* in, int* out) {
  if (threadIdx.x == 0) reinterpret_cast<int4*>(out)[0] = make_int4(in[0], 1, 2, 3);  // wide
  if (threadIdx.x == 1) out[2] = 5;  // narrow
}

__global__ void flag_without_fence(const int* in, int* out) {
  volatile int* const flag = out;
  if (threadIdx.x == 40) {
    out[1] = in[3];  // message
    *flag = 1;
  }
  if (threadIdx.x == 0) {
    while (*flag == 0) {}
    out[2] = out[1];  // received
  }
}

__global__ void plain_flag(const int* in, int* out) {
  if (threadIdx.x == 40) out[0] = in[1];  // plainly
  if (threadIdx.x == 0) out[1] = *static_cast<volatile int*>(out);  // flag
}

__device__ int total;
__global__ void variable_of_the_module(const int* in, int* out) {
  total = in[threadIdx.x] + total;  // total
  if (threadIdx.x == 99) out[0] = total;
}

__global__ void same_value(const int* in, int* out) {
  if (in[blockIdx.x * blockDim.x + threadIdx.x] >= 0) out[0] = 1;  // flag
}

// Kernel, blocks x threads: expected defect, and the comments of its two lines.
// expect: count_without_atomics, 1 x 64: global race, plain, plain
// expect: count_without_atomics, 16 x 64: global race, plain, plain
// expect: shift_in_place, 1 x 64: global race, shift, shift
// expect: shift_in_place, 16 x 64: global race, shift, shift
// expect: variable_of_the_module, 1 x 64: global race, total, total
// expect: every_block_zeroes, 16 x 64: global race, zero, add
// expect: reads_of_the_next_block, 16 x 64: global race, own, next
// expect: within_a_block, 1 x 64: global race, read, write again
// expect: ticket_without_fence, 16 x 64: global race, partial, gather
// expect: wrong_threads_partial, 16 x 64: global race, of five, of all
// expect: flag_without_fence, 1 x 64: global race, message, received
// expect: plain_flag, 1 x 64: global race, plainly, flag
// expect: wide_and_narrow, 1 x 64: global race, wide, narrow
