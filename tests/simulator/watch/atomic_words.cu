__global__ void add_to_double(const int* in, int* out) {
  unsigned long long* const word = (unsigned long long*)out;
  unsigned long long seen = *word, assumed;
  do {
    assumed = seen;
    const double sum = __longlong_as_double((long long)assumed) + in[threadIdx.x];
    seen = atomicCAS(word, assumed, (unsigned long long)__double_as_longlong(sum));
  } while (assumed != seen);
}

__global__ void largest(const int* in, int* out) {
  int seen = out[0];
  while (seen < in[threadIdx.x]) {
    const int before = atomicCAS(&out[0], seen, in[threadIdx.x]);
    if (before == seen) break;
    seen = before;
  }
}

__global__ void largest_shared(const int* in, int* out) {
  __shared__ int best;
  if (threadIdx.x == 0) best = 0;
  __syncthreads();
  int seen = best;
  while (seen < in[threadIdx.x]) {
    const int before = atomicCAS(&best, seen, in[threadIdx.x]);
    if (before == seen) break;
    seen = before;
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(&out[0], best);
}

__global__ void looks_before_it_tries(const int* in, int* out) {
  if (out[1] == 0 && atomicCAS(&out[1], 0, in[1]) == 0) out[0] = 1;
}

__global__ void counter_read_plainly(const int* in, int* out) {
  atomicAdd(&out[0], in[1]);  // count
  out[100 + blockIdx.x * blockDim.x + threadIdx.x] = out[0];  // look
}

__global__ void swapped_then_read_plainly(const int* in, int* out) {
  atomicCAS(&out[0], (int)threadIdx.x, in[1]);  // swap
  out[100 + blockIdx.x * blockDim.x + threadIdx.x] = out[0];  // look after
}

__global__ void of_a_block_between_blocks(const int* in, int* out) {
  atomicAdd_block(&out[0], in[1]);  // of a block
}

__global__ void of_a_block_in_each(const int* in, int* out) {
  atomicAdd_block(&out[blockIdx.x], in[1]);
  atomicMax_system(&out[50], in[1]);
}

__global__ void fence_of_a_block_between_blocks(const int* in, int* out) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(&out[1], 0, 1) != 0) {}
  __threadfence_block();
  out[0] += in[1];  // protected
  __threadfence_block();
  atomicExch(&out[1], 0);
}

__global__ void initialised_by_atomics(const int* in, int* out) {
  __shared__ int a, b, c;
  __shared__ float d;
  if (threadIdx.x == 0) {
    atomicExch(&a, 0);
    atomicAnd(&b, 0);
    atomicOr(&c, -1);
    atomicExch(&d, 1.0f);
  }
  __syncthreads();
  atomicAdd(&out[0], a + b + c + (int)d);
}

__global__ void added_to_nothing(const int* in, int* out) {
  __shared__ int sum;
  atomicAdd(&sum, in[1]);  // to nothing
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&out[0], sum);
}

// Kernel, blocks x threads: expected defect, and the comments of its two lines.
// expect: add_to_double, 4 x 64: nothing
// expect: largest, 4 x 64: nothing
// expect: largest_shared, 4 x 64: nothing
// expect: looks_before_it_tries, 4 x 64: nothing
// expect: counter_read_plainly, 4 x 64: global race, count, look
// expect: swapped_then_read_plainly, 4 x 64: global race, swap, look after
// expect: of_a_block_between_blocks, 4 x 64: global race, of a block, of a block
// expect: of_a_block_in_each, 4 x 64: nothing
// expect: fence_of_a_block_between_blocks, 4 x 64: global race, protected, protected
// expect: initialised_by_atomics, 4 x 64: nothing
// expect: added_to_nothing, 4 x 64: uninitialised, to nothing
