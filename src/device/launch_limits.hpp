#pragma once

#include <cstddef>
#include <string>

#include "core/launch.hpp"

namespace gpulab {

// The limits that every CUDA device since compute capability 3.0 has, from the CUDA C++ Programming Guide's
// table of technical specifications per compute capability.

constexpr Extent max_block{1024, 1024, 64};
constexpr Extent max_grid{2147483647, 65535, 65535};
constexpr std::size_t max_static_shared_bytes =
    48 * 1024;  // and of static and dynamic together, unless a kernel opts in

// One sentence about the limit that a launch breaks; empty when it breaks none.
std::string broken_launch_limit(const LaunchConfig& config, std::size_t static_shared_bytes);

}  // namespace gpulab
