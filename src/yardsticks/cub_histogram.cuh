#pragma once

#include <cub/device/device_histogram.cuh>

#include <optional>

#include "yardsticks/adaptor.hpp"

namespace gpulab::yardsticks {

// 256 bins of width 1 over [0, 256), as in the lesson's kernels.
class CubHistogramEven : public RepeatableCall {
 public:
  CubHistogramEven(void* const* arguments, cudaStream_t stream)
      : input_(argument<const int*>(arguments, 0)),
        output_(argument<int*>(arguments, 1)),
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
    constexpr int levels = 257, lowest = 0, end = 256;  // levels are the bounds of the bins
    check(cub::DeviceHistogram::HistogramEven(memory, bytes, input_, output_, levels, lowest, end, size_, stream),
          "cub::DeviceHistogram::HistogramEven");
  }

  const int* input_;
  int* output_;
  int size_;
  std::optional<Workspace> workspace_;
};

}  // namespace gpulab::yardsticks
