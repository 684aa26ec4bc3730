#pragma once

#include <memory>

#include "cuda/stream.hpp"
#include "yardsticks/yardstick.hpp"

namespace gpulab::cuda {

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
