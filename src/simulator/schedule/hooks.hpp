#pragma once

#include <array>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "lesson/launch.hpp"
#include "simulator/schedule/block_scheduler.hpp"
#include "simulator/watch/access_recorder.hpp"

namespace gpulab::simulator::schedule {

// Memory whose accesses by the host's own code somebody wants to know of. The code of a whole program is
// hooked like that of its kernels, and nearly all that it touches is of no interest: so a look at one byte of
// a table tells which granules of the addresses are. Different ones may share a byte.
class HostAccesses {
 public:
  enum When : std::uint8_t { never = 0, always = 1, while_work_is_pending = 2 };
  using Handler = void (*)(const watch::MemoryAccess& access);

  void watch(std::uintptr_t begin, std::size_t bytes, When when) {
    for (std::uintptr_t granule = begin >> shift; granule <= (begin + bytes - 1) >> shift; ++granule)
      granules_[granule % granules_.size()] |= when;
  }
  void forget_all() { granules_.fill(never); }
  void set_handler(Handler handler) { handler_ = handler; }
  void set_pending(bool is_pending) { armed_ = is_pending ? always | while_work_is_pending : always; }

  bool is_watched(std::uintptr_t address) const {
    return granules_[(address >> shift) % granules_.size()] & armed_;
  }
  void at_access(const watch::MemoryAccess& access) const { handler_(access); }

 private:
  static constexpr unsigned shift = 20;

  std::array<std::uint8_t, std::size_t{1} << 16> granules_{};
  std::uint8_t armed_ = always;
  Handler handler_ = nullptr;
};

inline constinit HostAccesses host_accesses;

// What kernels see of the thread, block and grid they run in. Kernels read these thread-local variables under
// the names threadIdx, blockIdx, blockDim and gridDim.
void set_grid_and_block(const LaunchConfig& config, const Extent& block_index);
void set_shared_memory(const char* begin, std::size_t bytes);
Extent current_block_index();
// Where all these variables of the calling worker are.
watch::AddressRange index_variables();
Extent current_thread_index();

// Where printf of kernels that are not checked writes: stderr, unless a whole program runs.
void set_kernel_output(std::FILE* file);
std::FILE* kernel_output();

// printf in a kernel. The code is where it was called.
int print_from_kernel(const char* format, std::va_list& arguments, const void* code);

// What is told of an index, an address or a divisor that is wrong on the host's side of a program.
using HostDefectHandler = void (*)(const watch::FoundDefect& defect);
void set_host_defect_handler(HostDefectHandler handler);

// The scheduler that serves the calls of kernels on this worker thread.
inline constinit thread_local BlockScheduler* running_scheduler = nullptr;
inline void set_scheduler(BlockScheduler* scheduler) {
  running_scheduler = scheduler;
}
inline BlockScheduler* scheduler_of_this_thread() {
  return running_scheduler;
}

}  // namespace gpulab::simulator::schedule
