#include "device/cuda/cuda_context.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/cuda_properties.hpp"
#include "device/cuda/nvrtc.hpp"

namespace gpulab {

CudaStatus cuda_status() {
  CudaStatus status;
  try {
    driver_api();
    status.driver_found = true;
    status.driver_version = installed_driver_version();
    status.devices = count_cuda_devices();
    if (status.devices == 0) status.driver_problem = "the driver offers no GPU";
  } catch (const DeviceError& problem) {
    status.driver_problem = problem.what();
  }
  try {
    status.nvrtc_version = nvrtc().version();
    status.nvrtc_path = nvrtc().path();
    status.nvrtc_found = true;
  } catch (const DeviceError&) {
    // nvrtc_found says it; opening a device says why.
  }
  return status;
}

std::vector<DeviceProperties> cuda_devices() {
  std::vector<DeviceProperties> devices;
  const CudaStatus status = cuda_status();
  for (int index = 0; index < status.devices; ++index) {
    try {
      devices.push_back(read_cuda_properties(CudaContext(index), index));
      if (status.nvrtc_found) devices.back().compiler_version = "NVRTC " + status.nvrtc_version;
    } catch (const DeviceError&) {
      continue;
    }
  }
  return devices;
}

std::string compile_to_cubin(const KernelSource& source, const std::string& architecture) {
  return nvrtc().compile(source, architecture).code;
}

}  // namespace gpulab
