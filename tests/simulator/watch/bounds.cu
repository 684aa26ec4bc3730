__global__ void read_past_the_end(const int* in, int* out) {
  out[threadIdx.x] = in[4000 + threadIdx.x - 60];  // past
}

struct Number {
  int value;
};
__device__ int sum(Number a, Number b) { return a.value + b.value; }
__global__ void pass_structures_past_the_end(const int* in, int* out) {
  const Number* numbers = reinterpret_cast<const Number*>(in);
  out[threadIdx.x] = sum(numbers[threadIdx.x], numbers[3990 + threadIdx.x]);  // argument
}

__device__ __noinline__ int first_of(int4 four, int4 other) { return four.x + other.y; }
__global__ void pass_vectors_past_the_end(const int* in, int* out) {
  const int4* fours = reinterpret_cast<const int4*>(in);
  out[threadIdx.x] = first_of(fours[threadIdx.x], fours[990 + threadIdx.x]);  // passed
}

__global__ void write_far_past_the_end(const int* in, int* out) {
  out[threadIdx.x * 4000 + 1096] = in[threadIdx.x];  // far
}

__global__ void write_before_the_start(const int* in, int* out) {
  out[int(threadIdx.x) - 1] = in[threadIdx.x];  // before
}

__global__ void static_shared(const int* in, int* out) {
  __shared__ int tile[64];
  for (int i = threadIdx.x; i < 64; i += 32) tile[i] = in[i];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x + in[40]];  // index
}

__global__ void static_shared_by_pointer(const int* in, int* out) {
  __shared__ int tile[32];
  int* cursor = tile;
  cursor[threadIdx.x] = in[threadIdx.x];
  cursor += in[1];
  __syncwarp();
  out[threadIdx.x] = cursor[threadIdx.x];  // pointer
}

__global__ void local_array(const int* in, int* out) {
  int own[4] = {in[0], in[1], in[2], in[3]};
  out[threadIdx.x] = own[in[threadIdx.x]];  // local
}

__global__ void rows(const int* in, int* out) {
  __shared__ int tile[8][8];
  tile[threadIdx.x / 8][threadIdx.x % 8] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 8) out[threadIdx.x] = tile[0][in[threadIdx.x] + 1];  // row
}

__global__ void dynamic_shared(const int* in, int* out) {
  extern __shared__ int scratch[];
  scratch[threadIdx.x] = in[threadIdx.x];  // scratch
  __syncthreads();
  out[threadIdx.x] = scratch[threadIdx.x];  // scratch again
}

__global__ void misaligned(const int* in, int* out) {
  const int4 four = reinterpret_cast<const int4*>(in + 1)[threadIdx.x];  // vector
  out[threadIdx.x] = four.x + four.w;
}

__global__ void misaligned_number(const int* in, int* out) {
  out[threadIdx.x] = int(reinterpret_cast<const long long*>(in + 1)[threadIdx.x]);  // number
}

__constant__ int factors[4];
__global__ void writes_constant(const int* in, int* out) {
  factors[threadIdx.x % 4] = in[threadIdx.x];  // constant
  out[threadIdx.x] = factors[0];
}

__global__ void follows_null(const int* in, int* out) {
  const int* nothing = in[0] == 0 ? nullptr : in;
  out[threadIdx.x] = nothing[threadIdx.x + 2];  // null
}
