#pragma once

#include <optional>
#include <string>

#include "device/cuda/cubin_cache.hpp"

namespace gpulab {

// What a kernel needs on GPUs of an architecture such as "sm_90", from what NVRTC makes of it, so without a
// GPU: all but the most threads of a block. None without NVRTC. Throws CompileError when the source does not
// compile or has no such kernel, DeviceError when NVRTC does not know the architecture.
std::optional<KernelAttributes> compiled_attributes(const std::string& architecture,
                                                    const KernelSource& source, const std::string& kernel,
                                                    const Signature& signature, CompileCache& cache);

// The same of a kernel that is compiled already; none where ptxas did not report on it.
std::optional<KernelAttributes> compiled_attributes(const CachedCubin& cubin, const std::string& symbol);

}  // namespace gpulab
