#include "device/cuda/cuda_context.hpp"

namespace gpulab {

int count_cuda_devices() {
  driver_api().init(0);
  int count = 0;
  driver_api().device_count(&count);
  return count;
}

CudaContext::CudaContext(int index) : driver_(driver_api()) {
  const int count = count_cuda_devices();
  if (count == 0) throw DeviceError("cuDeviceGetCount", "CUDA_ERROR_NO_DEVICE", "this machine offers no GPU");
  if (index < 0 || index >= count)
    throw DeviceError(
        "cuDeviceGet", "CUDA_ERROR_INVALID_DEVICE",
        "there is no GPU " + std::to_string(index) + ", only 0 to " + std::to_string(count - 1));
  driver_.device_at(&device_, index);
  driver_.retain_context(&context_, device_);
}

CudaContext::~CudaContext() {
  driver_.release_context.attempt(device_);
}

const DriverApi& CudaContext::enter() const noexcept {
  driver_.set_current_context.attempt(context_);
  return driver_;
}

}  // namespace gpulab
