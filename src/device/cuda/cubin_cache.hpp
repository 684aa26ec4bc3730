#pragma once

#include <filesystem>
#include <string>

#include "device/compile_cache.hpp"
#include "device/device.hpp"

namespace gpulab {

// The file with the kernel's machine code for that architecture, compiled by NVRTC unless the cache has it.
// Throws as compile_to_cubin does.
std::filesystem::path cached_cubin(const KernelSource& source, const std::string& architecture,
                                   CompileCache& cache);

}  // namespace gpulab
