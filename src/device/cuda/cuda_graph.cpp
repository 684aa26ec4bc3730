#include "device/cuda/cuda_graph.hpp"

namespace gpulab {

CudaGraph::CudaGraph(std::shared_ptr<const CudaContext> context, CUstream stream,
                     const std::function<void()>& work)
    : context_(std::move(context)) {
  const DriverApi& driver = context_->enter();
  CUgraph captured = nullptr;
  driver.begin_capture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  try {
    work();
  } catch (...) {
    driver.end_capture.attempt(stream, &captured);
    if (captured) driver.destroy_graph.attempt(captured);
    throw;
  }
  driver.end_capture(stream, &captured);
  const CUresult result = driver.instantiate_graph.attempt(&ready_, captured, 0);
  driver.destroy_graph.attempt(captured);
  if (result != CUDA_SUCCESS) throw_device_error(result, "cuGraphInstantiateWithFlags");
}

CudaGraph::~CudaGraph() {
  context_->enter().destroy_ready_graph.attempt(ready_);
}

}  // namespace gpulab
