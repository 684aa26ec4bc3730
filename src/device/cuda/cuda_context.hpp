#pragma once

#include "device/cuda/driver_api.hpp"

namespace gpulab {

// The primary context of one GPU. Everything that lives in it shares the ownership, so that it goes last.
class CudaContext {
 public:
  // Initialises the driver: a process forked after that cannot use CUDA. Throws DeviceError when there is no
  // driver, no GPU, or none with that index.
  explicit CudaContext(int index);
  ~CudaContext();
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  // Makes the context current on the calling thread and returns the driver, ready for a call. When that
  // fails, the call itself answers why.
  const DriverApi& enter() const noexcept;

  CUdevice device() const { return device_; }

 private:
  const DriverApi& driver_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
};

// How many GPUs the driver offers. Throws DeviceError when there is no driver or no GPU.
int count_cuda_devices();

}  // namespace gpulab
