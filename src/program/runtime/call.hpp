#pragma once

#include <mutex>
#include <string>

#include "program/runtime/runtime.hpp"

namespace gpulab::program::runtime {

// A call of the runtime API by the program, for as long as it lasts. No other call happens meanwhile.
class Call {
 public:
  // Without its name, one that tells and does nothing.
  explicit Call(const char* name = "", const void* returns_to = nullptr, const void* frame = nullptr)
      : runtime_(Runtime::instance()),
        lock_(runtime_.mutex()),
        name_(name),
        site_{reinterpret_cast<std::uintptr_t>(returns_to)} {
    runtime_.begin_call();
    if (*name_) runtime_.timeline().call(name_, site_);
    if (depth_++ == 0) frame_ = reinterpret_cast<std::uintptr_t>(frame);
  }
  ~Call() {
    --depth_;
    runtime_.end_call();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Where the stack of this thread was when the program made the call that lasts now.
  static std::uintptr_t frame_of_this_thread() { return frame_; }

  Runtime& runtime() const { return runtime_; }
  Site site() const { return site_; }
  const char* name() const { return name_; }

  // What stands in the way of any call: an earlier error that stays, or that a callback may make none.
  cudaError_t obstacle();
  // The error, and why; it is the thread's last one then.
  cudaError_t fail(cudaError_t error, const std::string& why) const {
    return runtime_.fail(error, name_, site_, why);
  }
  // The same, with a defect of the program that explains it.
  cudaError_t defect(cudaError_t error, const std::string& pattern, const std::string& text,
                     const std::string& instead = "", std::vector<ProgramFinding::Other> others = {}) const;
  // Null, and the error, for a stream that does not exist.
  Stream* stream(cudaStream_t handle, cudaError_t& error) const;
  Event* event(cudaEvent_t handle, cudaError_t& error) const;

 private:
  static inline thread_local int depth_ = 0;
  static inline thread_local std::uintptr_t frame_ = 0;

  Runtime& runtime_;
  std::lock_guard<std::recursive_mutex> lock_;
  const char* name_;
  Site site_;
};

// Of the function of the API that it stands in.
#define GPULAB_CALL_BEGINS(function)                                             \
  Call call(#function, __builtin_return_address(0), __builtin_frame_address(0)); \
  if (const cudaError_t obstacle = call.obstacle()) return obstacle

}  // namespace gpulab::program::runtime
