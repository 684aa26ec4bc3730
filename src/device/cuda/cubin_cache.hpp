#pragma once

#include <filesystem>
#include <string>

#include "device/compile_cache.hpp"
#include "device/device.hpp"

namespace gpulab {

// The files that NVRTC's results are kept in.
struct CachedCubin {
  std::filesystem::path code;
  std::filesystem::path report;
};

// The kernel's machine code for that architecture, and ptxas's report on it, compiled by NVRTC unless the
// cache has them. Throws as compile_to_cubin does.
CachedCubin cached_cubin(const KernelSource& source, const std::string& architecture, CompileCache& cache);

// The same for whoever wants to know only whether it compiles. False without NVRTC.
bool compile_for(const std::string& architecture, const KernelSource& source, CompileCache& cache);

}  // namespace gpulab
