#include "cuda/driver_api.hpp"

#include <unistd.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "cuda/device.hpp"
#include "cuda/nvrtc.hpp"
#include "cuda/properties.hpp"
#include "cuda/stream.hpp"

namespace gpulab::cuda {
namespace {

const DriverApi* open_driver() {
  try {
    // Never closed: threads of the driver run in it until the process ends.
    return new DriverApi;
  } catch (const std::runtime_error& problem) {
    throw device::DeviceError(
        "there is no NVIDIA driver on this machine (--device simulator needs none): opening it",
        "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", problem.what());
  }
}

std::atomic<bool> abandoned{false};

// What the driver does at the end of a process would wait for the kernel as well.
void end_at_once(int status, void*) {
  std::fflush(nullptr);
  ::_exit(status);
}

}  // namespace

void abandon_driver() {
  if (!abandoned.exchange(true)) leave_without_tidying();
}

void leave_without_tidying() {
  static const int is_registered = ::on_exit(end_at_once, nullptr);
  static_cast<void>(is_registered);
}

bool driver_is_abandoned() noexcept {
  return abandoned.load(std::memory_order_relaxed);
}

const DriverApi& driver_api() {
  static const DriverApi* const api = open_driver();
  return *api;
}

// The stub that the CUDA Toolkit has for linkers answers every call with this, even one for its name.
std::string error_name(CUresult result) {
  if (result == CUDA_ERROR_STUB_LIBRARY) return "CUDA_ERROR_STUB_LIBRARY";
  const char* name = nullptr;
  if (driver_api().error_name.attempt(result, &name) == CUDA_SUCCESS && name) return name;
  return "CUDA error " + std::to_string(result);
}

std::string error_text(CUresult result) {
  if (result == CUDA_ERROR_STUB_LIBRARY)
    return driver_api().library.path() +
           " is the CUDA Toolkit's stub, not a driver: take its folder out of " +
           "LD_LIBRARY_PATH, or use the simulator (--device simulator)";
  const char* text = nullptr;
  if (driver_api().error_string.attempt(result, &text) == CUDA_SUCCESS && text) return text;
  return "an error that this driver has no words for";
}

void throw_device_error(CUresult result, std::string exported_name) {
  if (exported_name.ends_with("_v2")) exported_name.resize(exported_name.size() - 3);
  throw device::DeviceError(exported_name, error_name(result), error_text(result));
}

Status cuda_status() {
  Status status;
  try {
    driver_api();
    status.driver_found = true;
    status.driver_version = installed_driver_version();
    status.devices = count_cuda_devices();
    if (status.devices == 0) status.driver_problem = "the driver offers no GPU";
  } catch (const device::DeviceError& problem) {
    status.driver_problem = problem.what();
  }
  try {
    status.nvrtc_version = nvrtc().version();
    status.nvrtc_path = nvrtc().path();
    status.nvrtc_found = true;
  } catch (const device::DeviceError&) {
    // nvrtc_found says it; opening a device says why.
  }
  return status;
}

std::vector<DeviceProperties> cuda_devices() {
  std::vector<DeviceProperties> devices;
  const Status status = cuda_status();
  for (int index = 0; index < status.devices; ++index) {
    try {
      devices.push_back(read_cuda_properties(CudaContext(index), index));
      if (status.nvrtc_found) devices.back().compiler_version = "NVRTC " + status.nvrtc_version;
    } catch (const device::DeviceError&) {
      continue;
    }
  }
  return devices;
}

std::string compile_to_cubin(const device::KernelSource& source, const std::string& architecture) {
  return nvrtc().compile(source, architecture).code;
}

}  // namespace gpulab::cuda
