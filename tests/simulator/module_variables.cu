__constant__ float factors[64];
static __constant__ float hidden[4];
__constant__ const float thirds[3] = {0.0f, 1.0f, 2.0f};
namespace inner { __constant__ int offset; }
namespace { __constant__ int nameless[2]; }
__device__ int counter = 5;

__global__ void multiply(const float* in, float* out) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  out[item] = in[item] * factors[blockIdx.x % 64];
}

__global__ void add_all(const float* in, float* out) {
  out[0] = hidden[3] + thirds[2] + inner::offset + nameless[1] + in[0];
}

__global__ void first_factors(const float* in, float* out) {
  out[0] = in[0] + factors[0] + hidden[0];
}

__global__ void count(const int* in, int* out) {
  const int before = atomicAdd(&counter, in[0]);
  out[threadIdx.x] = before >= 5;
}
