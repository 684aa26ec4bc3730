#pragma once

#include <nvrtc.h>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cuda/support.hpp"
#include "device/compile_cache.hpp"
#include "device/device.hpp"
#include "device/host.hpp"

namespace gpulab::cuda {

// A kernel file as compiled by NVRTC.
struct CompiledCubin {
  std::string code;    // a cubin, which is an ELF file
  std::string report;  // what ptxas reports on each kernel's registers and memory
  std::string ptx;     // the PTX that ptxas assembled
};

// NVIDIA's run-time compiler, found in libnvrtc at run time. It compiles without a GPU and without a driver.
class Nvrtc {
 public:
  // Throws std::runtime_error when the library cannot be opened or lacks a function.
  Nvrtc();

  // Compiles for one architecture, "sm_90". Throws CompileError with the compiler's log, and DeviceError if
  // NVRTC itself fails or does not know the architecture.
  CompiledCubin compile(const device::KernelSource& source, const std::string& architecture) const;

  // Returns the options for compiling a kernel file; the last one asks for the report.
  std::vector<std::string> flags(const std::string& architecture) const;

  const std::string& version() const { return version_; }  // "13.0"
  const std::string& path() const { return library_.path(); }

 private:
  CompiledCubin compile(const device::KernelSource& source, const std::string& architecture,
                        const std::vector<std::string>& flags) const;
  std::string supported_architectures() const;
  std::string log_of(nvrtcProgram program) const;
  std::string cubin_of(nvrtcProgram program) const;
  std::string ptx_of(nvrtcProgram program) const;
  void check(nvrtcResult result, const char* call) const;

  device::DynamicLibrary library_;
  std::string version_;
  bool has_cache_ = false;
  decltype(nvrtcGetErrorString)* error_string_;
  decltype(nvrtcVersion)* get_version_;
  decltype(nvrtcGetNumSupportedArchs)* architecture_count_;
  decltype(nvrtcGetSupportedArchs)* architectures_;
  decltype(nvrtcCreateProgram)* create_program_;
  decltype(nvrtcDestroyProgram)* destroy_program_;
  decltype(nvrtcCompileProgram)* compile_program_;
  decltype(nvrtcGetProgramLogSize)* log_size_;
  decltype(nvrtcGetProgramLog)* log_;
  decltype(nvrtcGetCUBINSize)* cubin_size_;
  decltype(nvrtcGetCUBIN)* cubin_;
  decltype(nvrtcGetPTXSize)* ptx_size_;
  decltype(nvrtcGetPTX)* ptx_;
};

// Returns where libnvrtc is looked for, in order: $CUDA_HOME and $CUDA_PATH, which users set on purpose, the
// loader's own path, /usr/local/cuda.
std::vector<std::string> nvrtc_candidates();

// Returns the NVRTC of this machine, opened at the first call. Throws DeviceError if there is none.
const Nvrtc& nvrtc();
bool has_nvrtc();

// Files with NVRTC's results.
struct CachedCubin {
  std::filesystem::path code;
  std::filesystem::path report;
  std::filesystem::path ptx;
};

// Returns the cubin for that architecture and ptxas's report on it, compiled by NVRTC unless the cache has
// them. Throws as Nvrtc::compile does, and DeviceError without NVRTC.
CachedCubin cached_cubin(const device::KernelSource& source, const std::string& architecture,
                         device::CompileCache& cache);

// Compiles as cached_cubin() does, for its errors alone. Returns false without NVRTC.
bool compile_for(const std::string& architecture, const device::KernelSource& source,
                 device::CompileCache& cache);

// Compiles a kernel for GPUs of an architecture such as "sm_90", without a GPU. None without NVRTC. Throws
// CompileError if the source does not compile or has no such kernel, DeviceError if NVRTC does not know the
// architecture.
std::optional<CompiledKernel> compiled_kernel(const std::string& architecture,
                                              const device::KernelSource& source, const std::string& kernel,
                                              const Signature& signature, device::CompileCache& cache);

// Returns the attributes of a compiled kernel; none if ptxas did not report on the kernel.
std::optional<device::KernelAttributes> compiled_attributes(const CachedCubin& cubin,
                                                            const std::string& symbol);

}  // namespace gpulab::cuda
