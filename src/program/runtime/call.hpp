#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
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

// One end of a copy of rows, by the bytes between their beginnings. An array's memory is the runtime's own to
// name.
struct RowsAt {
  std::uintptr_t begin = 0;
  std::size_t pitch = 0;
  bool is_array = false;
};

// Copies so many rows of so many bytes, with all objections and findings of a copy. The host waits as CUDA
// has it wait.
cudaError_t copy_rows(Call& call, const RowsAt& to, const RowsAt& from, std::size_t width, std::size_t height,
                      cudaMemcpyKind kind, cudaStream_t stream, bool is_asynchronous);

// Of a set to an odd value, which no number of several bytes has then.
ProgramFinding finding_of_value(const Allocation::Write& set);

// A part of an array: a place, in bytes within the row, and how much of it. Says what is wrong with it.
cudaError_t rows_in_array(const Call& call, cudaArray_const_t array, std::size_t x_bytes, std::size_t y,
                          std::size_t z, std::size_t width_bytes, std::size_t height, std::size_t depth,
                          RowsAt& rows);

constexpr std::size_t most_shared_of_a_block = 163 * 1024;  // with cudaFuncSetAttribute

// Of blocks of that many threads and bytes of shared memory, static and dynamic, how many a multiprocessor of
// the simulated device holds. Registers set no limit there.
int resident_blocks_of_a_multiprocessor(int block_size, std::size_t shared_bytes);

// How many bytes the program may use from that address of the host on, where it is in a block that the
// program has allocated; none where nobody knows.
std::optional<std::size_t> host_room_at(std::uintptr_t address);

}  // namespace gpulab::program::runtime
