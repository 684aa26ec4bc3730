#include "run/devices.hpp"

#include "device/cuda_support.hpp"
#include "device/simulator/simulator_device.hpp"

namespace gpulab {
namespace {

std::unique_ptr<Device> open_cuda(int index, CompileCache& cache) {
  return cuda_support().open(index, cache);
}

std::unique_ptr<Device> open_whatever_there_is(int index, CompileCache& cache,
                                               const std::function<void(const std::string&)>& remark) {
  std::string why_not;
  try {
    auto device = open_cuda(index, cache);
    remark("running on " + device->properties().name + " (" + device->properties().architecture() + ")");
    return device;
  } catch (const DeviceError& error) {
    why_not = error.name();
  }
  auto device = open_simulator(cache);
  remark("no GPU can be used here (" + why_not +
         "), so kernels are simulated on the CPU; gpulab doctor says more");
  return device;
}

}  // namespace

std::unique_ptr<Device> open_device(DeviceChoice choice, int index, CompileCache& cache,
                                    const std::function<void(const std::string&)>& remark) {
  switch (choice) {
    case DeviceChoice::cuda:
      return open_cuda(index, cache);
    case DeviceChoice::simulator:
      return open_simulator(cache);
    default:
      return open_whatever_there_is(index, cache, remark);
  }
}

std::vector<DeviceProperties> all_devices() {
  std::vector<DeviceProperties> devices = cuda_support().devices();
  devices.push_back(simulator_properties());
  return devices;
}

}  // namespace gpulab
