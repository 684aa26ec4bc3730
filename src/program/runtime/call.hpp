#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>

#include "program/runtime/runtime.hpp"
#include "simulator/schedule/hooks.hpp"

namespace gpulab::program::runtime {

// A call of the runtime API by the program. It holds the lock, so that no other call runs meanwhile.
class Call {
 public:
  // Without a name, the call is only a query, which is not in the timeline.
  explicit Call(const char* name = "", const void* returns_to = nullptr, const void* frame = nullptr)
      : runtime_(Runtime::instance()),
        lock_(runtime_.take_lock()),
        name_(name),
        site_(*name ? site_of_call(returns_to) : Site{address_of(returns_to)}) {
    runtime_.begin_call();
    if (*name_) runtime_.timeline().add_call(name_, site_);
    if (depth_++ == 0) frame_ = address_of(frame);
  }
  ~Call() {
    --depth_;
    runtime_.end_call();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Returns this thread's stack frame at the program's current call.
  static std::uintptr_t frame_of_this_thread() { return frame_; }

  // Returns how deeply this thread's calls are nested.
  static int depth_of_this_thread() { return depth_; }

  Runtime& runtime() const { return runtime_; }
  Site site() const { return site_; }
  const char* name() const { return name_; }

  // Returns the error that prevents the call: the sticky one, or one for a call in a callback or a capture.
  cudaError_t pending_error();
  // Returns the result of the call or, if an error is to be injected, that error.
  cudaError_t finish(cudaError_t result) const;
  // Records the error and its reason as the thread's last error, and returns it.
  cudaError_t fail(cudaError_t error, const std::string& why) const {
    return runtime_.fail(error, name_, site_, why);
  }
  // Records the error, and reports a defect of the program that explains it.
  cudaError_t defect(cudaError_t error, const std::string& pattern, const std::string& text,
                     const std::string& correction = "",
                     std::vector<ProgramFinding::Other> others = {}) const;
  // Invalidates the capture, since the call would wait for captured work, and returns the error.
  cudaError_t invalidate_capture(Capture& capture,
                                 cudaError_t error = cudaErrorStreamCaptureUnsupported) const;
  // These call `function` with the stream or the event of a handle, or report a defect if there is none.
  cudaError_t with(cudaStream_t handle, const std::function<cudaError_t(Stream&)>& function) const;
  cudaError_t with(cudaEvent_t handle, const std::function<cudaError_t(Event&)>& function) const;

 private:
  static inline thread_local int depth_ = 0;
  static inline thread_local std::uintptr_t frame_ = 0;

  Runtime& runtime_;
  std::unique_lock<std::recursive_mutex> lock_;
  const char* name_;
  Site site_;
};

// Returns whether a kernel makes the call. Such a call must not take the lock, which the thread that waits
// for the kernel may hold. The destructor of a kernel's argument may make a call here, since each thread
// destroys its own copy; on a GPU it does not.
inline bool is_in_kernel() {
  return simulator::schedule::scheduler_of_this_thread() != nullptr;
}

// Define an entry point of the API. On the host it holds the lock, and returns the expression after the
// parameters, unless there is a sticky error or a callback makes the call. The expression may use `call`, the
// current call. In a kernel the entry point returns the expression `in_kernel`.
#define GPULAB_ENTRY_NAMED(function, name, parameters, ...) \
  GPULAB_ENTRY_ALSO_IN_KERNELS(function, name, parameters, cudaErrorNotPermitted, __VA_ARGS__)
#define GPULAB_ENTRY_ALSO_IN_KERNELS(function, name, parameters, in_kernel, ...)      \
  cudaError_t function parameters {                                                   \
    if (is_in_kernel()) return in_kernel;                                             \
    Call call(#name, __builtin_return_address(0), __builtin_frame_address(0));        \
    if (const cudaError_t pending_error = call.pending_error()) return pending_error; \
    return call.finish(__VA_ARGS__);                                                  \
  }
#define GPULAB_ENTRY(name, parameters, ...) GPULAB_ENTRY_NAMED(name, name, parameters, __VA_ARGS__)

// Defines a function and its variant that ends with Async and also takes a stream. The expression after the
// parameters may use `stream` and `is_asynchronous`.
#define GPULAB_WITHOUT_PARENTHESES(...) __VA_ARGS__
#define GPULAB_ENTRY_PAIR(name, parameters, ...)                                                       \
  GPULAB_ENTRY(name, parameters,                                                                       \
               [&](cudaStream_t stream, bool is_asynchronous) { return __VA_ARGS__; }(nullptr, false)) \
  GPULAB_ENTRY(name##Async, (GPULAB_WITHOUT_PARENTHESES parameters, cudaStream_t stream),              \
               [&](bool is_asynchronous) { return __VA_ARGS__; }(true))

// Stores the result of a query.
template <typename T>
cudaError_t give(T* result, std::type_identity_t<T> value) {
  *result = value;
  return cudaSuccess;
}

// Returns an error, with its reason, if the program has no such device.
cudaError_t check_device(const Call& call, int device);

// The most shared memory that a kernel can have, with cudaFuncSetAttribute.
constexpr std::size_t max_shared_bytes_per_block = simulator::schedule::largest_shared_bytes;
// Returns the most without it: 48 KiB under CUDA, 64 KiB on AMD's GPUs.
std::size_t max_static_shared_bytes(const Runtime& runtime);

// Returns how many blocks with that many threads and bytes of shared memory, static and dynamic, fit on a
// multiprocessor of the simulated device. Registers set no limit there.
int resident_blocks_per_multiprocessor(int block_size, std::size_t shared_bytes);
// Returns the same for the whole device.
std::size_t resident_blocks(int block_size, std::size_t shared_bytes);

// Notes an address that a call in a stream is given, to advise on races between streams.
void note_address(std::uintptr_t call, std::size_t stream, std::uintptr_t address);

// Queues a callback of the program. `data` is what it is given, for findings.
cudaError_t put_callback(const Call& call, cudaStream_t handle, const void* data,
                         const std::function<void(Runtime&)>& function);

// Returns whether the address was in the stack of that thread, in a function that has returned. All frames
// below that of the program's current call belong to such functions. Returns false on other threads.
bool is_in_ended_frame(std::uintptr_t address, std::thread::id thread);

// Reports the blocks of the host's heap past whose end the program has written.
void report_overrun_blocks(Runtime& runtime);

// Memory of the host from an address to the end of its block or variable.
struct HostMemory {
  std::size_t room = 0;   // bytes from the address
  std::string name = {};  // "the 400 bytes that the host allocated in line 7"
  Site allocated = {};    // the allocating call; its `pc` is 0 for a variable
  bool is_exact = true;   // false if the variable may be smaller, and other variables follow it
};
// Returns the memory if its end is known: for blocks that the program has allocated, global variables that
// are not static, and local variables, which end at the latest where their function's stack frame does.
std::optional<HostMemory> host_memory_at(std::uintptr_t address);
// Returns the freed block of the host's heap that had the address; `allocated` is the call that freed it.
std::optional<HostMemory> freed_host_memory_at(std::uintptr_t address);

}  // namespace gpulab::program::runtime
