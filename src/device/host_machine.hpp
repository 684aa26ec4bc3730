#pragma once

#include <cstddef>
#include <string>

namespace gpulab {

// Bytes that Linux can give to this process without swapping, within the limit of its control group; SIZE_MAX
// when it does not tell.
std::size_t free_host_memory_bytes();

// The processor's model; empty when Linux does not tell.
std::string cpu_name();

}  // namespace gpulab
