#pragma once

#include <cstddef>
#include <string>

namespace gpulab {

// Bytes that Linux can give to a process without swapping; SIZE_MAX when it does not tell.
std::size_t free_host_memory_bytes();

// The processor's model; empty when Linux does not tell.
std::string cpu_name();

}  // namespace gpulab
