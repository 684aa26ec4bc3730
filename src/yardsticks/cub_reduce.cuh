#pragma once

#include <cub/device/device_reduce.cuh>

#include <optional>

#include "yardsticks/adaptor.hpp"

namespace gpulab::yardsticks {

class CubReduceSum : public RepeatableCall {
 public:
  CubReduceSum(void* const* arguments, cudaStream_t stream)
      : input_(argument<const float*>(arguments, 0)),
        sum_(argument<float*>(arguments, 1)),
        size_(argument<int>(arguments, 2)) {
    std::size_t bytes = 0;
    call(nullptr, bytes, stream);  // without memory CUB only sets bytes
    workspace_.emplace(bytes);
  }

  void enqueue(cudaStream_t stream) {
    std::size_t bytes = workspace_->bytes();
    call(workspace_->get(), bytes, stream);
  }

 private:
  void call(void* memory, std::size_t& bytes, cudaStream_t stream) {
    check(cub::DeviceReduce::Sum(memory, bytes, input_, sum_, size_, stream), "cub::DeviceReduce::Sum");
  }

  const float* input_;
  float* sum_;
  int size_;
  std::optional<Workspace> workspace_;
};

}  // namespace gpulab::yardsticks
