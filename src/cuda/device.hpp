#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuda/driver_api.hpp"
#include "cuda/support.hpp"
#include "yardsticks/yardstick.hpp"

namespace gpulab::cuda {

// Entry points of the cuda device. They can be linked and loaded without a driver, a GPU or NVRTC.

// Returns the status, whatever is missing. Like the functions below it initialises the driver, after which a
// forked process cannot use CUDA (an executed one can).
Status cuda_status();

// Returns the GPUs of this machine in the driver's order; empty without a driver. The values are
// deviceQuery's, the driver's version is nvidia-smi's. Free memory can only be queried in a context, so this
// opens one on every GPU for a moment; a GPU that refuses (in exclusive use) is left out.
std::vector<DeviceProperties> cuda_devices();

// Opens a GPU. Compiled kernels are kept in the cache, which must outlive the device. Throws DeviceError if
// there is no driver, no GPU with that index, or no NVRTC.
std::unique_ptr<device::Device> open_cuda_device(int index, device::CompileCache& cache);

// Does the same with HIP and hipRTC.
std::unique_ptr<device::Device> open_amd_device(int index, device::CompileCache& cache);

// Returns whether HIP is there, its version and its GPUs; says nothing about NVRTC. Initialises HIP.
Status amd_status();

// A yardstick as a library call. It makes its stream's context current before each call.
class YardstickCall : public device::LibraryCall {
 public:
  // Throws LibraryRefusal.
  YardstickCall(const GpulabYardstick& yardstick, std::shared_ptr<const CudaContext> context,
                void* const* arguments, CUstream stream);
  ~YardstickCall() override;
  void reset(device::Stream& stream) override;
  void enqueue(device::Stream& stream) override;

 private:
  const GpulabYardstick& yardstick_;
  std::shared_ptr<const CudaContext> context_;
  void* prepared_ = nullptr;
};

}  // namespace gpulab::cuda
