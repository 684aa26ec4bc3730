#pragma once

#include <nvrtc.h>

#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/dynamic_library.hpp"

namespace gpulab {

// NVIDIA's run-time compiler, found in libnvrtc at run time. It compiles without a GPU and without a driver.
class Nvrtc {
 public:
  // Throws std::runtime_error when the library cannot be opened or lacks a function.
  Nvrtc();

  // The machine code (cubin) of a kernel file for one architecture, "sm_90". Throws CompileError with the
  // compiler's log, and DeviceError when NVRTC itself fails or does not know the architecture.
  std::string compile(const KernelSource& source, const std::string& architecture) const;

  const std::string& version() const { return version_; }  // "13.0"
  const std::string& path() const { return library_.path(); }

 private:
  std::string supported_architectures() const;
  std::string log_of(nvrtcProgram program) const;
  std::string cubin_of(nvrtcProgram program) const;
  void check(nvrtcResult result, const char* call) const;

  DynamicLibrary library_;
  std::string version_;
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

// The options that a kernel file is compiled with.
std::vector<std::string> nvrtc_flags(const std::string& architecture);

// Where libnvrtc is looked for, in order: $CUDA_HOME and $CUDA_PATH, because somebody set them on purpose,
// the loader's own path, /usr/local/cuda.
std::vector<std::string> nvrtc_candidates();

// The NVRTC of this machine, opened at the first call. Throws DeviceError when there is none.
const Nvrtc& nvrtc();

}  // namespace gpulab
