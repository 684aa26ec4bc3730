
__constant__ float weights[4];
static __constant__ float hidden_weights[3];
__constant__ int unused;
namespace inner { __constant__ float nested[5]; }
namespace { __constant__ float nameless[6]; }
__device__ int counter;
static __device__ int hidden_counter[2];
__device__ __noinline__ float weighted(float value) { return value * weights[threadIdx.x & 3]; }
__global__ void scale(const float* __restrict__ input, float* output, const int size) {
  if (threadIdx.x < size) output[threadIdx.x] = weighted(input[threadIdx.x]);
}
extern "C" __global__ void plain(float* output) { output[0] = weighted(1); }
extern "C" __global__ void use_all(float* output) {
  const int i = threadIdx.x;
  output[i] = hidden_weights[i] + inner::nested[i] + nameless[i] + counter + hidden_counter[i];
}
namespace { __global__ void hidden(float* output) { output[0] = 1; } }
