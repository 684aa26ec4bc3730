#include <cuda_fp16.h>

#include "yardsticks/adaptor.hpp"
#include "yardsticks/round_to_half.hpp"

namespace gpulab::yardsticks {
namespace {

// Rounds four neighbours per thread and step. Thread 0 rounds what is left.
__global__ void round_four(const float* __restrict__ from, __half* __restrict__ to, std::size_t count) {
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (std::size_t i = thread; i < count / 4; i += std::size_t{gridDim.x} * blockDim.x) {
    const float4 x = reinterpret_cast<const float4*>(from)[i];
    reinterpret_cast<__half2*>(to)[2 * i] = __floats2half2_rn(x.x, x.y);
    reinterpret_cast<__half2*>(to)[2 * i + 1] = __floats2half2_rn(x.z, x.w);
  }
  if (thread == 0)
    for (std::size_t i = count / 4 * 4; i < count; ++i) to[i] = __float2half_rn(from[i]);
}

}  // namespace

void round_to_half(const float* from, void* to, std::size_t count, cudaStream_t stream) {
  round_four<<<2112, 256, 0, stream>>>(from, static_cast<__half*>(to), count);
  check(cudaGetLastError(), "round_four");
}

}  // namespace gpulab::yardsticks
