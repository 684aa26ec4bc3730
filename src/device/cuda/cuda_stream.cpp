#include "device/cuda/cuda_stream.hpp"

namespace gpulab {

CudaStream::CudaStream(std::shared_ptr<const CudaContext> context) : context_(std::move(context)) {
  context_->enter().create_stream(&stream_, CU_STREAM_NON_BLOCKING);
}

CudaStream::~CudaStream() {
  context_->enter().destroy_stream.attempt(stream_);
}

CudaEvent::CudaEvent(std::shared_ptr<const CudaContext> context) : context_(std::move(context)) {
  context_->enter().create_event(&event_, CU_EVENT_DEFAULT);
}

CudaEvent::~CudaEvent() {
  context_->enter().destroy_event.attempt(event_);
}

}  // namespace gpulab
