#pragma once

#include <functional>
#include <memory>

#include "device/cuda/cuda_context.hpp"

namespace gpulab {

// What was captured from a stream, made ready to be launched.
class CudaGraph : public Graph {
 public:
  // Throws what work throws, and DeviceError when something of it cannot be captured.
  CudaGraph(std::shared_ptr<const CudaContext> context, CUstream stream, const std::function<void()>& work);
  ~CudaGraph() override;
  CUgraphExec handle() const { return ready_; }

 private:
  std::shared_ptr<const CudaContext> context_;
  CUgraphExec ready_ = nullptr;
};

}  // namespace gpulab
