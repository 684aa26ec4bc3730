#include "run/cuda_support.hpp"

#ifdef GPULAB_HAS_CUDA
#include "cuda/compiled_attributes.hpp"
#include "cuda/device.hpp"
#include "cuda/yardstick_library.hpp"
#endif

namespace gpulab::run {

#ifdef GPULAB_HAS_CUDA

CudaSupport cuda_support() {
  return {.built = true,
          .status = cuda::cuda_status,
          .devices = cuda::cuda_devices,
          .open = cuda::open_cuda_device,
          .attributes_for = cuda::compiled_attributes,
          .yardsticks = cuda::yardstick_status,
          .compile_for = cuda::compile_for};
}

#else

namespace {

constexpr const char* not_built = "this gpulab was built without the CUDA Toolkit";

std::unique_ptr<Device> refuse(int, CompileCache&) {
  throw DeviceError("opening a GPU", "CUDA_ERROR_NO_DEVICE", not_built);
}

std::optional<KernelAttributes> no_attributes(const std::string&, const KernelSource&, const std::string&,
                                              const Signature&, CompileCache&) {
  return std::nullopt;
}

}  // namespace

CudaSupport cuda_support() {
  return {.built = false,
          .status = [] { return CudaStatus{.driver_problem = not_built}; },
          .devices = [] { return std::vector<DeviceProperties>{}; },
          .open = refuse,
          .attributes_for = no_attributes,
          .yardsticks = [] { return std::vector<YardstickStatus>{}; },
          .compile_for = [](const std::string&, const KernelSource&, CompileCache&) { return false; }};
}

#endif

}  // namespace gpulab::run
