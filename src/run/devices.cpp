#include "run/devices.hpp"

#include "cuda/support.hpp"
#include "simulator/device.hpp"
#include "simulator/remote/device_server.hpp"

namespace gpulab::run {

namespace {

std::unique_ptr<device::Device> open_cuda(int index, device::CompileCache& cache) {
  return cuda::support().open(index, cache);
}

std::unique_ptr<device::Device> open_the_simulator(int index, device::CompileCache& cache) {
  if (index == 0) return simulator::open_simulator(cache);
  throw device::DeviceError("opening simulator " + std::to_string(index), "CUDA_ERROR_INVALID_DEVICE",
                            "there is only simulator 0");
}

OpenedDevice open_whatever_there_is(int index, device::CompileCache& cache,
                                    const std::function<void(const std::string&)>& remark) {
  std::string why_not;
  try {
    auto device = open_cuda(index, cache);
    remark("running on " + device->properties().name + " (" + device->properties().architecture() + ")");
    return {std::move(device), ""};
  } catch (const device::DeviceError& error) {
    why_not = cuda::support().status().driver_found ? error.name() : "no NVIDIA driver";
  }
  OpenedDevice opened{simulator::open_simulator(cache), "no GPU can be used (" + why_not + ")"};
  remark(opened.fallback + ", so kernels are simulated on the CPU; gpulab doctor says more");
  return opened;
}

}  // namespace

OpenedDevice open_or_fall_back(DeviceChoice choice, int index, device::CompileCache& cache,
                               const std::function<void(const std::string&)>& remark) {
  switch (choice) {
    case DeviceChoice::cuda:
      return {open_cuda(index, cache), ""};
    case DeviceChoice::simulator:
      return {open_the_simulator(index, cache), ""};
    default:
      return open_whatever_there_is(index, cache, remark);
  }
}

std::unique_ptr<device::Device> open_device(DeviceChoice choice, int index, device::CompileCache& cache,
                                            const std::function<void(const std::string&)>& remark) {
  return open_or_fall_back(choice, index, cache, remark).device;
}

int index_of_local_rank(DeviceChoice choice, int local_rank) {
  if (choice == DeviceChoice::simulator || local_rank == 0) return 0;
  const int gpus = cuda::support().status().devices;
  return gpus > 0 ? local_rank % gpus : 0;
}

std::unique_ptr<mpi::Processes> join_processes() {
  return mpi::join_processes();
}

std::vector<DeviceProperties> all_devices() {
  std::vector<DeviceProperties> devices = cuda::support().devices();
  devices.push_back(simulator::simulator_properties());
  return devices;
}

std::optional<int> serve_device_if_asked(const std::vector<std::string>& words) {
  return simulator::remote::serve_if_asked(words);
}

}  // namespace gpulab::run
