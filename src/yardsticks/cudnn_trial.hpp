#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "yardsticks/cudnn_graph.hpp"

namespace gpulab::yardsticks {

// A handle of cuDNN, which works in one stream.
class Handle {
 public:
  Handle() { check(cudnnCreate(&handle_), "cudnnCreate"); }
  ~Handle() { cudnnDestroy(handle_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  // Sets the stream in which the handle works, and returns the handle.
  cudnnHandle_t for_stream(cudaStream_t stream) const {
    check(cudnnSetStream(handle_, stream), "cudnnSetStream");
    return handle_;
  }

 private:
  cudnnHandle_t handle_ = nullptr;
};

// Arrays in device memory.
struct ConvolutionArrays {
  const float* image;
  const float* flipped_filter;
  float* output;
};

// A configuration of an engine that can convolve these arrays.
class Trial {
 public:
  // Throws std::runtime_error if the engine cannot convolve them or needs too much memory.
  Trial(cudnnHandle_t handle, Descriptor configuration, const ConvolutionArrays& arrays);

  void enqueue(cudnnHandle_t handle) const { plan_.enqueue(handle, arguments_); }

  // Returns the time of the fastest of four launches; of two, if both take twice the limit or more.
  float milliseconds(cudnnHandle_t handle, cudaStream_t stream, float limit_ms) const;

 private:
  Plan plan_;
  std::unique_ptr<Workspace> workspace_;
  Descriptor arguments_;
};

// Returns the fastest of the configurations that can convolve the arrays, if there is one.
std::optional<Trial> fastest(const Handle& handle, cudaStream_t stream,
                             std::vector<Descriptor> configurations, const ConvolutionArrays& arrays);

// Returns what cuDNN's heuristics propose, without configurations in TF32.
std::vector<Descriptor> proposed_in_float32(const ConvolutionGraph& graph);

// Returns the fastest engines, at most `count`, that convolve such an image as exactly as float32 arithmetic,
// even if no heuristic proposes them. cuDNN's notes do not tell: an engine on tensor cores may multiply in
// TF32, or split each float32 into parts. So each engine is tried on the upper rows, with numbers that need
// all bits of a float32.
std::vector<std::int64_t> fastest_exact_engines(const Handle& handle, cudaStream_t stream,
                                                ConvolvedImage image, std::size_t count);

}  // namespace gpulab::yardsticks
