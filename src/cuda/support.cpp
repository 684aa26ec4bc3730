#include "cuda/support.hpp"

#ifdef GPULAB_HAS_CUDA
#include "cuda/device.hpp"
#include "cuda/nccl.hpp"
#include "cuda/nvrtc.hpp"
#include "cuda/properties.hpp"
#endif

namespace gpulab::cuda {

#ifdef GPULAB_HAS_CUDA

Support support() {
  return {.built = true,
          .status = cuda_status,
          .devices = cuda_devices,
          .links = cuda_links,
          .open = open_cuda_device,
          .kernel_for = compiled_kernel,
          .amd_status = amd_status,
          .open_amd = open_amd_device,
          .nccl = nccl_status,
          .compile_for = compile_for};
}

#else

namespace {

constexpr const char* not_built = "this gpulab was built without the CUDA Toolkit";

std::unique_ptr<device::Device> refuse(int, device::CompileCache&) {
  throw device::DeviceError("opening a GPU", "CUDA_ERROR_NO_DEVICE", not_built);
}

std::optional<CompiledKernel> no_kernel(const std::string&, const device::KernelSource&, const std::string&,
                                        const Signature&, device::CompileCache&) {
  return std::nullopt;
}

}  // namespace

Support support() {
  return {.built = false,
          .status = [] { return Status{.driver_problem = not_built}; },
          .devices = [] { return std::vector<DeviceProperties>{}; },
          .links = [] { return std::vector<DeviceLink>{}; },
          .open = refuse,
          .kernel_for = no_kernel,
          .amd_status = [] { return Status{.driver_problem = not_built}; },
          .open_amd = refuse,
          .nccl = [] { return device::LibraryStatus{.name = "nccl", .problem = not_built}; },
          .compile_for = [](const std::string&, const device::KernelSource&,
                            device::CompileCache&) { return false; }};
}

#endif

}  // namespace gpulab::cuda
