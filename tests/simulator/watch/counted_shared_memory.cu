template <int width>
__device__ void transpose_through(float* tile, const float* in, float* out) {
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y * width + x] = in[y * 32 + x];  // to the tile
  __syncthreads();
  out[y * 32 + x] = tile[x * width + y];  // from the tile
}

__global__ void transpose(const float* in, float* out, int) {
  __shared__ float tile[32 * 32];
  transpose_through<32>(tile, in, out);
}

__global__ void transpose_padded(const float* in, float* out, int) {
  __shared__ float tile[32 * 33];
  transpose_through<33>(tile, in, out);
}

__global__ void strided(const float* in, float* out, int stride) {
  extern __shared__ float dynamic[];
  dynamic[threadIdx.x * stride % 1024] = 1;
}

__global__ void broadcast(const float*, float* out, int place) {
  __shared__ float one;
  if (threadIdx.x == 0) one = 1;
  __syncthreads();
  out[threadIdx.x] = one;
}

__global__ void wide(const float*, float* out, int) {
  __shared__ float2 twos[64];
  __shared__ float4 fours[64];
  twos[threadIdx.x] = make_float2(1, 2);  // twos
  fours[threadIdx.x] = make_float4(1, 2, 3, 4);  // fours
}

__global__ void histogram(const float*, float* out, int bins) {
  __shared__ int counts[32];
  counts[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&counts[threadIdx.x % bins], 1);  // counts
  __syncthreads();
  atomicAdd(&out[threadIdx.x], float(counts[threadIdx.x]));  // adds counts
}
