#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>

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
  // Does something with the stream or the event of a handle; a defect where there is none.
  cudaError_t with(cudaStream_t handle, const std::function<cudaError_t(Stream&)>& does) const;
  cudaError_t with(cudaEvent_t handle, const std::function<cudaError_t(Event&)>& does) const;

 private:
  static inline thread_local int depth_ = 0;
  static inline thread_local std::uintptr_t frame_ = 0;

  Runtime& runtime_;
  std::lock_guard<std::recursive_mutex> lock_;
  const char* name_;
  Site site_;
};

// Defines a function of the API: a row of the tables of entry points. It returns what stands behind the
// parameters, where `call` is the call that is made; that is done under the lock of the calls, unless an
// earlier error stays or a callback makes the call.
#define GPULAB_ENTRY_NAMED(function, name, parameters, ...)                    \
  cudaError_t function parameters {                                            \
    Call call(#name, __builtin_return_address(0), __builtin_frame_address(0)); \
    if (const cudaError_t obstacle = call.obstacle()) return obstacle;         \
    return __VA_ARGS__;                                                        \
  }
#define GPULAB_ENTRY(name, parameters, ...) GPULAB_ENTRY_NAMED(name, name, parameters, __VA_ARGS__)

// Defines a function and its twin, whose name ends with Async and which takes a stream as well: what stands
// behind the parameters has `stream` and `is_asynchronous`.
#define GPULAB_INSIDE(...) __VA_ARGS__
#define GPULAB_ENTRY_PAIR(name, parameters, ...)                                                       \
  GPULAB_ENTRY(name, parameters,                                                                       \
               [&](cudaStream_t stream, bool is_asynchronous) { return __VA_ARGS__; }(nullptr, false)) \
  GPULAB_ENTRY(name##Async, (GPULAB_INSIDE parameters, cudaStream_t stream),                           \
               [&](bool is_asynchronous) { return __VA_ARGS__; }(true))

// For an entry that only tells something.
template <typename T>
cudaError_t give(T* place, std::type_identity_t<T> value) {
  *place = value;
  return cudaSuccess;
}

constexpr std::size_t most_shared_of_a_block = 163 * 1024;  // with cudaFuncSetAttribute

// How many blocks a multiprocessor of the simulated device holds that have so many threads and bytes of
// shared memory, static and dynamic. Registers set no limit there.
int resident_blocks_of_a_multiprocessor(int block_size, std::size_t shared_bytes);

// How many bytes the program may use from that address of the host on, where it is in a block that the
// program has allocated; none where nobody knows.
std::optional<std::size_t> host_room_at(std::uintptr_t address);

}  // namespace gpulab::program::runtime
