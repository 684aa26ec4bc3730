#include "cuda/stream.hpp"

namespace gpulab::cuda {

int count_cuda_devices() {
  driver_api().init(0);
  int count = 0;
  driver_api().device_count(&count);
  return count;
}

CudaContext::CudaContext(int index) : driver_(driver_api()) {
  const int count = count_cuda_devices();
  if (count == 0)
    throw device::DeviceError("cuDeviceGetCount", "CUDA_ERROR_NO_DEVICE", "this machine offers no GPU");
  if (index < 0 || index >= count)
    throw device::DeviceError(
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

// While the thread captures another device's stream as well, it must not do what could wait for that. Making
// a graph ready cannot.
CudaGraph::CudaGraph(std::shared_ptr<const CudaContext> context, CUstream stream)
    : context_(std::move(context)) {
  const DriverApi& driver = context_->enter();
  CUgraph captured = nullptr;
  driver.end_capture(stream, &captured);
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  driver.exchange_capture_mode.attempt(&mode);
  const CUresult result = driver.instantiate_graph.attempt(&ready_, captured, 0);
  driver.exchange_capture_mode.attempt(&mode);
  driver.destroy_graph.attempt(captured);
  if (result != CUDA_SUCCESS) throw_device_error(result, "cuGraphInstantiateWithFlags");
}

CudaGraph::~CudaGraph() {
  context_->enter().destroy_ready_graph.attempt(ready_);
}

}  // namespace gpulab::cuda
