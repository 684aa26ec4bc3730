#pragma once

#include <cuda_runtime_api.h>
#include <memory>
#include <stdexcept>
#include <string>

#include "yardsticks/call.hpp"

namespace gpulab::yardsticks {

inline void check(cudaError_t result, const char* call) {
  if (result != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(result));
}

// Device memory, freed by the destructor.
class Workspace {
 public:
  explicit Workspace(std::size_t bytes) : bytes_(bytes) {
    if (bytes > 0) check(cudaMalloc(&memory_, bytes), "cudaMalloc");
  }
  ~Workspace() { cudaFree(memory_); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  void* get() const { return memory_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
  void* memory_ = nullptr;
};

// Base of a call that can be repeated without resetting its arrays.
struct RepeatableCall {
  void reset(cudaStream_t) {}
};

template <class Call>
constexpr GpulabYardstick yardstick(const char* name, const char* signature) {
  return make_yardstick<Call, cudaStream_t>(name, signature);
}

}  // namespace gpulab::yardsticks
