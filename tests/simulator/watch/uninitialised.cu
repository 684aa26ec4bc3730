__global__ void copy(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];  // read
}

__global__ void fill(const int*, int* out) {
  out[threadIdx.x] = 3;
}

__global__ void accumulate(const int* in, int* out) {
  atomicAdd(&out[threadIdx.x], in[threadIdx.x]);  // add
}

__global__ void not_all_of_a_tile(const int* in, int* out) {
  __shared__ int tile[64];
  if (threadIdx.x < 48) tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];  // tile
}

__global__ void counts_from_garbage(const int* in, int* out) {
  extern __shared__ int counts[];
  atomicAdd(&counts[in[threadIdx.x] % 4], 1);  // garbage
  __syncthreads();
  if (threadIdx.x < 4) out[threadIdx.x] = counts[threadIdx.x];
}

__device__ int total;
__global__ void from_zero(const int* in, int* out) {
  if (threadIdx.x == 0) out[0] = total + in[0];
}

__global__ void bytes(const unsigned char* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];  // byte
}
