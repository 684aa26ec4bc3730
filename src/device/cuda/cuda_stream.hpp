#pragma once

#include <memory>

#include "device/cuda/cuda_context.hpp"

namespace gpulab {

// A stream that does not wait for the default stream.
class CudaStream : public Stream {
 public:
  explicit CudaStream(std::shared_ptr<const CudaContext> context);
  ~CudaStream() override;
  CUstream handle() const { return stream_; }

 private:
  std::shared_ptr<const CudaContext> context_;
  CUstream stream_ = nullptr;
};

class CudaEvent : public Event {
 public:
  explicit CudaEvent(std::shared_ptr<const CudaContext> context);
  ~CudaEvent() override;
  CUevent handle() const { return event_; }

 private:
  std::shared_ptr<const CudaContext> context_;
  CUevent event_ = nullptr;
};

}  // namespace gpulab
