#include "cuda/yardstick_call.hpp"

namespace gpulab::cuda {

YardstickCall::YardstickCall(const GpulabYardstick& yardstick, std::shared_ptr<const CudaContext> context,
                             void* const* arguments, CUstream stream)
    : yardstick_(yardstick), context_(std::move(context)) {
  context_->enter();
  const char* error = nullptr;
  prepared_ = yardstick_.prepare(arguments, stream, &error);
  if (!prepared_) throw device::LibraryRefusal(ExitCode::device, error ? error : "it gives no reason");
}

YardstickCall::~YardstickCall() {
  context_->enter();
  yardstick_.release(prepared_);
}

void YardstickCall::before(device::Stream& stream) {
  context_->enter();
  if (const char* error = yardstick_.before(prepared_, static_cast<CudaStream&>(stream).handle()))
    throw device::DeviceError(yardstick_.name, "CUDA_ERROR_UNKNOWN", error);
}

void YardstickCall::enqueue(device::Stream& stream) {
  context_->enter();
  if (const char* error = yardstick_.enqueue(prepared_, static_cast<CudaStream&>(stream).handle()))
    throw device::DeviceError(yardstick_.name, "CUDA_ERROR_UNKNOWN", error);
}

}  // namespace gpulab::cuda
