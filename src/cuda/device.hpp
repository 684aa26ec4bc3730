#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuda/driver_api.hpp"
#include "cuda/support.hpp"
#include "yardsticks/yardstick.hpp"

namespace gpulab::cuda {

// The way into the cuda device. Nothing here needs a driver, a GPU or NVRTC to be linked or started.

// Never throws for lack of anything. Like the functions below it initialises the driver, after which a forked
// process cannot use CUDA (an executed one can).
Status cuda_status();

// The GPUs of this machine, in the driver's order; empty without a driver. The figures are deviceQuery's, the
// driver's version is nvidia-smi's. Memory that is free can only be asked for in a context, so this opens one
// on every GPU for a moment; a GPU that refuses (in exclusive use) is left out.
std::vector<DeviceProperties> cuda_devices();

// Compiled kernels are kept in the cache, which must outlive the device. Throws DeviceError when there is no
// driver, no GPU, none with that index, or no NVRTC.
std::unique_ptr<device::Device> open_cuda_device(int index, device::CompileCache& cache);

// Machine code (an ELF file) for an architecture such as "sm_90". Needs NVRTC but no GPU. Throws CompileError
// with the compiler's log, DeviceError without NVRTC.
std::string compile_to_cubin(const device::KernelSource& source, const std::string& architecture);

// A yardstick as the rest of the program sees it. Its stream's context is current when it is called.
class YardstickCall : public device::LibraryCall {
 public:
  // Throws LibraryRefusal.
  YardstickCall(const GpulabYardstick& yardstick, std::shared_ptr<const CudaContext> context,
                void* const* arguments, CUstream stream);
  ~YardstickCall() override;
  void before(device::Stream& stream) override;
  void enqueue(device::Stream& stream) override;

 private:
  const GpulabYardstick& yardstick_;
  std::shared_ptr<const CudaContext> context_;
  void* prepared_ = nullptr;
};

}  // namespace gpulab::cuda
