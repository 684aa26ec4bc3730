#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "device/compile_cache.hpp"
#include "device/device.hpp"

namespace gpulab::cuda {

// The files that NVRTC's results are kept in.
struct CachedCubin {
  std::filesystem::path code;
  std::filesystem::path report;
};

// The kernel's machine code for that architecture, and ptxas's report on it, compiled by NVRTC unless the
// cache has them. Throws as compile_to_cubin does.
CachedCubin cached_cubin(const device::KernelSource& source, const std::string& architecture,
                         device::CompileCache& cache);

// The same for whoever wants to know only whether it compiles. False without NVRTC.
bool compile_for(const std::string& architecture, const device::KernelSource& source,
                 device::CompileCache& cache);

// What ptxas -v says a kernel needs: registers, local memory, spills and static shared memory; with the
// spills of the functions that it calls and that were not inlined. None when the report is not about that
// symbol.
std::optional<device::KernelAttributes> reported_attributes(const std::string& report,
                                                            const std::string& symbol);

// What a kernel needs on GPUs of an architecture such as "sm_90", from what NVRTC makes of it, so without a
// GPU: all but the most threads of a block. None without NVRTC. Throws CompileError when the source does not
// compile or has no such kernel, DeviceError when NVRTC does not know the architecture.
std::optional<device::KernelAttributes> compiled_attributes(const std::string& architecture,
                                                            const device::KernelSource& source,
                                                            const std::string& kernel,
                                                            const Signature& signature,
                                                            device::CompileCache& cache);

// The same of a kernel that is compiled already; none where ptxas did not report on it.
std::optional<device::KernelAttributes> compiled_attributes(const CachedCubin& cubin,
                                                            const std::string& symbol);

}  // namespace gpulab::cuda
