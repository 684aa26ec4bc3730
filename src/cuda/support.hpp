#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/compile_cache.hpp"
#include "device/device.hpp"
#include "device/libraries.hpp"

namespace gpulab::cuda {

// Parts of the cuda device that this machine has.
struct Status {
  bool driver_found = false;   // libcuda can be opened
  std::string driver_problem;  // why there is no usable GPU; empty when there is one
  int devices = 0;
  bool nvrtc_found = false;
  std::string nvrtc_version, nvrtc_path;
  std::string driver_version;
};

// A kernel as compiled for an architecture, without a GPU.
struct CompiledKernel {
  device::KernelAttributes attributes;  // all but the maximum threads per block
  std::string symbol;
  std::string ptx;  // of its whole file
};

// The cuda device as the rest of the program sees it. If gpulab was built without the CUDA Toolkit, there are
// no devices, and opening one throws a DeviceError that says so.
struct Support {
  bool built = false;
  Status (*status)() = nullptr;
  std::vector<DeviceProperties> (*devices)() = nullptr;
  std::vector<DeviceLink> (*links)() = nullptr;
  std::unique_ptr<device::Device> (*open)(int index, device::CompileCache& cache) = nullptr;
  // Compiles a kernel for GPUs of an architecture such as "sm_90", even if there is none here. None without
  // NVRTC. Throws CompileError as Device::compile and Module::kernel do, DeviceError if NVRTC does not know
  // the architecture.
  std::optional<CompiledKernel> (*kernel_for)(const std::string& architecture,
                                              const device::KernelSource& source, const std::string& kernel,
                                              const Signature& signature,
                                              device::CompileCache& cache) = nullptr;
  // Like status and open, for AMD's GPUs, by HIP and hipRTC.
  Status (*amd_status)() = nullptr;
  std::unique_ptr<device::Device> (*open_amd)(int index, device::CompileCache& cache) = nullptr;

  device::LibraryStatus (*nccl)() = nullptr;
  // Compiles a kernel file for GPUs of an architecture, and keeps the result in the cache. Returns false
  // without NVRTC. Throws CompileError as Device::compile does, DeviceError if NVRTC does not know the
  // architecture.
  bool (*compile_for)(const std::string& architecture, const device::KernelSource& source,
                      device::CompileCache& cache) = nullptr;
};

Support support();

}  // namespace gpulab::cuda
