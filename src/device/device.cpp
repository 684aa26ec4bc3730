#include "device/device.hpp"

namespace gpulab::device {

DeviceError::DeviceError(std::string call, std::string name, const std::string& explanation, Failure failure)
    : Error(ExitCode::device,
            call + " failed with " + name + (explanation.empty() ? "" : ": " + explanation)),
      call_(std::move(call)),
      name_(std::move(name)),
      explanation_(explanation),
      failure_(failure) {}

std::unique_ptr<LibraryCall> Device::prepare(const std::string& library_call, const Signature&, void* const*,
                                             Stream&) {
  throw LibraryRefusal(ExitCode::device, "this device has no library with '" + library_call + "'");
}

bool DeviceError::leaves_device_unusable() const {
  return name_ != "CUDA_ERROR_OUT_OF_MEMORY" && name_ != "CUDA_ERROR_INVALID_VALUE" &&
         name_ != "CUDA_ERROR_NOT_FOUND";
}

}  // namespace gpulab::device
