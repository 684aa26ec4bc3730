__global__ void add(const float* in, float* out, int) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1;  // adds one
}

__global__ void add_strided(const float* in, float* out, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i * stride] + 1;
}

__global__ void add_shifted(const float* in, float* out, int shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i + shift] + 1;
}

__global__ void broadcast(const float* in, float* out, int) {
  out[threadIdx.x] = in[0];  // broadcast
}

__global__ void add_in_fours(const float* in, float* out, int) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 four = reinterpret_cast<const float4*>(in)[i];
  four.x += 1;
  reinterpret_cast<float4*>(out)[i] = four;
}

__global__ void copy_threes(const float* in, float* out, int) {
  const float3 three = reinterpret_cast<const float3*>(in)[threadIdx.x];
  reinterpret_cast<float3*>(out)[threadIdx.x] = three;
}

__global__ void copy_bytes(const float* in, float* out, int) {
  ((char*)out)[threadIdx.x] = ((const char*)in)[threadIdx.x];
}

__global__ void transpose(const float* in, float* out, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[x * width + y] = in[y * width + x];
}

__global__ void all_to_one(const float*, float* out, int) {
  atomicAdd(&out[0], 1.0f);  // all to one
}

__global__ void each_to_its_own(const float*, float* out, int) {
  atomicAdd((int*)&out[threadIdx.x], 1);
}

__constant__ float factors[4];
__device__ unsigned finished;

__global__ void other_memory(const float* in, float* out, int number) {
  float mine[8];
  for (int i = 0; i < 8; ++i) mine[i] = i * factors[i % 4];
  out[threadIdx.x] = mine[(number + threadIdx.x) % 8];
  atomicAdd(&finished, 1u);
}

__global__ void increment(const float*, float* out, int) {
  out[threadIdx.x]++;  // increment
  out[threadIdx.x] += 2;  // adds two
}
