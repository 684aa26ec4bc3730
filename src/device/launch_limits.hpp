#pragma once

#include <cstddef>
#include <string>

#include "core/launch.hpp"

namespace gpulab::device {

// The limits that every CUDA device since compute capability 3.0 has, from the CUDA C++ Programming Guide's
// table of technical specifications per compute capability.

constexpr Extent max_block{1024, 1024, 64};
constexpr Extent max_grid{2147483647, 65535, 65535};
constexpr std::size_t max_static_shared_bytes = 48 * 1024;
constexpr std::size_t max_constant_bytes = 64 * 1024;

// One sentence about the limit that a launch breaks; empty when it breaks none. The most shared memory that a
// block can have, static and dynamic together, is the device's own.
std::string broken_launch_limit(const LaunchConfig& config, std::size_t static_shared_bytes,
                                std::size_t max_shared_bytes);

// The sentences about a kernel file that needs more than every device has.
std::string too_much_static_shared(const std::string& file, const std::string& kernel, std::size_t bytes);
std::string too_much_constant(const std::string& file, std::size_t bytes);

}  // namespace gpulab::device
