__global__ void divide(const int* in, int* out) {
  out[threadIdx.x] = 100 / (in[threadIdx.x] - 17);  // quotient
}

__global__ void divide_by_nothing_else(const int* in, int* out) {
  const unsigned zero = 0;
  out[threadIdx.x] = in[threadIdx.x] + 1 / zero;  // folded
}

__global__ void rest(const int* in, int* out) {
  out[threadIdx.x] = 100 % (in[threadIdx.x] & 0);  // rest
}

__global__ void divide_floats(const int* in, int* out) {
  const float zero = in[0];
  out[threadIdx.x] = 1 / zero > 0 ? -100 / in[1] : 0;
}

__global__ void print_for_ever(const int* in, int* out) {
  while (in[1] == 1) printf("%d\n", in[threadIdx.x]);  // for ever
}

__global__ void print_once(const int* in, int* out) {
  printf("block %d thread %d: %d\n", blockIdx.x, threadIdx.x, in[threadIdx.x]);
  if (blockIdx.x < 40) out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
