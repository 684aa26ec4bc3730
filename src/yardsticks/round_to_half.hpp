#pragma once

#include <cuda_runtime_api.h>
#include <cstddef>

namespace gpulab::yardsticks {

// Rounds floats in device memory to half precision. Throws std::runtime_error.
void round_to_half(const float* from, void* to, std::size_t count, cudaStream_t stream);

}  // namespace gpulab::yardsticks
