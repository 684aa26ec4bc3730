#pragma once

#include <nvrtc.h>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/host.hpp"

namespace gpulab::cuda {

// What NVRTC makes of a kernel file.
struct CompiledCubin {
  std::string code;    // machine code, an ELF file
  std::string report;  // what ptxas says of the registers and the memory that each kernel needs
};

// NVIDIA's run-time compiler, found in libnvrtc at run time. It compiles without a GPU and without a driver.
class Nvrtc {
 public:
  // Throws std::runtime_error when the library cannot be opened or lacks a function.
  Nvrtc();

  // Machine code for one architecture, "sm_90". Throws CompileError with the compiler's log, and DeviceError
  // when NVRTC itself fails or does not know the architecture.
  CompiledCubin compile(const device::KernelSource& source, const std::string& architecture) const;

  // The options that a kernel file is compiled with; the last asks for the report.
  std::vector<std::string> flags(const std::string& architecture) const;

  const std::string& version() const { return version_; }  // "13.0"
  const std::string& path() const { return library_.path(); }

 private:
  CompiledCubin compile(const device::KernelSource& source, const std::string& architecture,
                        const std::vector<std::string>& flags) const;
  std::string supported_architectures() const;
  std::string log_of(nvrtcProgram program) const;
  std::string cubin_of(nvrtcProgram program) const;
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
};

// Where libnvrtc is looked for, in order: $CUDA_HOME and $CUDA_PATH, because somebody set them on purpose,
// the loader's own path, /usr/local/cuda.
std::vector<std::string> nvrtc_candidates();

// The NVRTC of this machine, opened at the first call. Throws DeviceError when there is none.
const Nvrtc& nvrtc();
bool has_nvrtc();

}  // namespace gpulab::cuda
