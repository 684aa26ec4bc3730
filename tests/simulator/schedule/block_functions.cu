// Each kernel sets an element of out for each of its threads. Those whose name begins with "divided" become functions
// of a block, the others run on fibers.

extern __shared__ int slots[];
constexpr int rounds_of_file = 3;

__device__ int number() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__device__ int threads() { return blockDim.x * blockDim.y * blockDim.z; }
__device__ int place() { return blockIdx.x * threads() + number(); }
__device__ int twice(int value) { return 2 * value; }
__device__ void meet() { __syncthreads(); }

__global__ void divided_without_barrier(int* out) {
  for (int i = 0; i < 3; ++i) out[place()] += i + threadIdx.x * gridDim.x;
  if (number() == 3) return;
  out[place()] += 100;
}

__global__ void divided_at_barriers(int* out) {
  __shared__ int mine[1024], sum;
  const int last = threads() - 1;
  mine[number()] = twice(number()) + blockIdx.x;
  if (number() == last) sum = 0;
  __syncthreads();
  atomicAdd(&sum, mine[last - number()]);  // in any order
  __syncthreads();
  if (number() % 2 == 1) return;
  out[place()] = sum;
}

__global__ void divided_in_a_loop(int* out) {
  int sum = threadIdx.x, rest[2] = {1, number()}, late;
  const int shift = 3 * threadIdx.x;
  const int width = blockDim.x;
#pragma unroll
  for (int step = 1; step < 2 * rounds_of_file + width % 2; step *= 2) {
    const int at = (number() + step) % threads();
    slots[number()] = sum + shift;
    __syncthreads();  // slots are full
    sum += slots[at];
    rest[step % 2] += sum;
    late = slots[0];
    __syncthreads();
  }
  out[place()] = sum + 10 * rest[0] + 100 * rest[1] + late;
}

__global__ void divided_in_loops(int* out) {
  __shared__ alignas(16) float values[1024];
  float total = 0;
  for (int i = 0; i < rounds_of_file; ++i) {
    for (int j = i; j < 2; ++j) {
      values[number()] = total + i + 10 * j + threadIdx.y;
      __syncthreads();
      total += values[threads() - 1 - number()];
      __syncthreads();
    }
    total *= 2;
  }
  out[place()] = (int)total;
}

__global__ void divided_with_pointers(int* out) {
  int* const all = slots;
  int* half = &slots[blockDim.x * blockDim.y * blockDim.z / 2];
  int* mine = out + blockIdx.x * blockDim.x * blockDim.y * blockDim.z + threadIdx.x;
  if (number() < threads() / 2) half[number()] = number();
  __syncthreads();
  int value = all[threads() / 2 + number() / 4];
  __syncthreads();
  if (number() < blockDim.x) *mine = value;
}

__global__ void divided_before_a_return(int* out) {
  const int rest = threadIdx.x % 4;
  __syncthreads();
  if (rest == 0) return;
  const int part = 100 / rest;  // traps where rest is 0
  out[place()] = part;
}

__global__ void divided_by_comments(int* out) {
  const int mine = number() +  // a comment
                   1;          /* and another */
  __syncthreads(/* none */); out[place()] = mine;
}

__global__ void whole_with_an_early_return(int* out) {
  if (number() % 3 == 1) return;
  __syncthreads();
  out[place()] = 1;
}

__global__ void whole_in_a_branch(int* out) {
  if (gridDim.x > 0) __syncthreads();
  out[place()] = 1;
}

__global__ void whole_in_a_loop_of_threads(int* out) {
  const int most = threads() + 1;
  for (int i = 0; i < most; ++i) {
    __syncthreads();
    out[place()] += 1;
  }
}

__global__ void whole_in_a_loop_by_memory(int* out) {
  for (int i = 0; i < out[gridDim.x * threads()]; ++i) {
    __syncthreads();
    out[place()] += 1;
  }
}

__global__ void whole_in_a_loop_that_changes(int* out) {
  for (int i = 0; i < 9; ++i) {
    __syncthreads();
    out[place()] += 1;
    i += 2;
  }
}

__global__ void whole_in_a_loop_that_ends_early(int* out) {
  for (int i = 0; i < 9; ++i) {
    __syncthreads();
    out[place()] += 1;
    if (i == 4) break;
  }
}

__global__ void whole_with_a_changed_parameter(int* out) {
  out += place();
  __syncthreads();
  *out = 5;
}

__global__ void whole_with_the_address_of_a_variable(int* out) {
  int value = number();
  int* const at = &value;
  __syncthreads();
  out[place()] = *at;
}

__global__ void whole_with_a_variable_of_another_type(int* out) {
  struct Pair { int a, b; };
  Pair pair = {number(), 1};
  __syncthreads();
  out[place()] = pair.a;
}

__global__ void whole_with_the_same_name_twice(int* out) {
  for (int i = 0; i < 2; ++i) {
    int value = number();
    __syncthreads();
    out[place()] += value;
  }
  int value = 3;
  __syncthreads();
  out[place()] += value;
}

__global__ void whole_with_an_answer_of_an_atomic(int* out) {
  __shared__ int next;
  next = 0;
  __syncthreads();
  const int mine = atomicAdd(&next, 1);
  __syncthreads();
  out[place()] = mine >= 0;
}

__global__ void whole_with_a_warp(int* out) {
  __syncthreads();
  __syncwarp(1u << number() % 32);
  out[place()] = 1;
}

__global__ void whole_in_a_function(int* out) {
  meet();
  out[place()] = 1;
}

__global__ void whole_with_a_lambda(int* out) {
  const auto set = [&](int value) { out[place()] = value; };
  __syncthreads();
  set(4);
}
