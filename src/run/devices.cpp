#include "run/devices.hpp"

#include "simulator/device.hpp"

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

namespace {

std::unique_ptr<device::Device> open_cuda(int index, device::CompileCache& cache) {
  return cuda_support().open(index, cache);
}

std::unique_ptr<device::Device> open_the_simulator(int index, device::CompileCache& cache) {
  if (index == 0) return simulator::open_simulator(cache);
  throw device::DeviceError("opening simulator " + std::to_string(index), "CUDA_ERROR_INVALID_DEVICE",
                            "there is only simulator 0");
}

std::unique_ptr<device::Device> open_whatever_there_is(
    int index, device::CompileCache& cache, const std::function<void(const std::string&)>& remark) {
  std::string why_not;
  try {
    auto device = open_cuda(index, cache);
    remark("running on " + device->properties().name + " (" + device->properties().architecture() + ")");
    return device;
  } catch (const device::DeviceError& error) {
    why_not = cuda_support().status().driver_found ? error.name() : "no NVIDIA driver";
  }
  auto device = simulator::open_simulator(cache);
  remark("no GPU can be used (" + why_not +
         "), so kernels are simulated on the CPU; gpulab doctor says more");
  return device;
}

}  // namespace

std::unique_ptr<device::Device> open_device(DeviceChoice choice, int index, device::CompileCache& cache,
                                            const std::function<void(const std::string&)>& remark) {
  switch (choice) {
    case DeviceChoice::cuda:
      return open_cuda(index, cache);
    case DeviceChoice::simulator:
      return open_the_simulator(index, cache);
    default:
      return open_whatever_there_is(index, cache, remark);
  }
}

std::vector<DeviceProperties> all_devices() {
  std::vector<DeviceProperties> devices = cuda_support().devices();
  devices.push_back(simulator::simulator_properties());
  return devices;
}

}  // namespace gpulab::run
