#pragma once

#include <cuda_runtime_api.h>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

#include "yardsticks/yardstick.hpp"

namespace gpulab::yardsticks {

// The i-th argument of a call.
template <class T>
T argument(void* const* arguments, int i) {
  return *static_cast<const T*>(arguments[i]);
}

inline void check(cudaError_t result, const char* call) {
  if (result != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(result));
}

// Memory of the device that goes when this does.
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

// What is thrown on this side is told as a sentence on the other.
inline const char* keep(const std::exception& error) {
  static thread_local std::string sentence;
  sentence = error.what();
  return sentence.c_str();
}

// null, or the sentence of what the function throws.
template <class Function>
const char* told(const Function& function) {
  try {
    function();
    return nullptr;
  } catch (const std::exception& error) {
    return keep(error);
  }
}

// The base of a call that can be made again on what the last one left.
struct NothingBefore {
  void before(cudaStream_t) {}
};

// A class as a yardstick: its constructor Call(arguments, stream), before(stream) and enqueue(stream) may
// throw. (In C++17, which nvcc has everywhere.)
template <class Call>
constexpr GpulabYardstick yardstick(const char* name, const char* signature) {
  return {name,
          signature,
          [](void* const* arguments, void* stream, const char** error) -> void* {
            Call* call = nullptr;
            *error = told([&] { call = new Call(arguments, static_cast<cudaStream_t>(stream)); });
            return call;
          },
          [](void* prepared, void* stream) {
            return told([&] { static_cast<Call*>(prepared)->before(static_cast<cudaStream_t>(stream)); });
          },
          [](void* prepared, void* stream) {
            return told([&] { static_cast<Call*>(prepared)->enqueue(static_cast<cudaStream_t>(stream)); });
          },
          [](void* prepared) { delete static_cast<Call*>(prepared); }};
}

}  // namespace gpulab::yardsticks
