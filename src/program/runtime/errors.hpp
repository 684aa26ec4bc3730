#pragma once

#include <string_view>

#include "program/runtime/cuda_api.hpp"

namespace gpulab::program::runtime {

// What the runtime API calls an error of the driver API, "CUDA_ERROR_ILLEGAL_ADDRESS".
cudaError_t cuda_error_of(std::string_view driver_name);

}  // namespace gpulab::program::runtime
