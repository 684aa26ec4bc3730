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

// The memory for which accesses by the host's own code are reported. The host's code of a whole program is
// hooked like the program's kernels, and few of the host's accesses matter. A table shows quickly which of
// them do. It has one byte for each granule (1 MiB) of addresses; granules with the same hash share a byte.
class HostAccesses {
 public:
  enum When : std::uint8_t { never = 0, always = 1, while_work_is_pending = 2 };
  using Handler = void (*)(const watch::MemoryAccess& access);

  void watch(std::uintptr_t begin, std::size_t bytes, When when) {
    const std::uintptr_t last = (begin + bytes - 1) >> granule_bits;
    for (std::uintptr_t granule = begin >> granule_bits; granule <= last; ++granule)
      granules_[granule % granules_.size()] |= when;
  }
  void forget_all() { granules_.fill(never); }
  void set_handler(Handler handler) { handler_ = handler; }
  // Sets whether work of the device is pending. More memory is watched then.
  void set_pending(bool is_pending) { armed_ = is_pending ? always | while_work_is_pending : always; }

  bool is_watched(std::uintptr_t address) const {
    return granules_[(address >> granule_bits) % granules_.size()] & armed_;
  }
  // Returns whether the address may be in memory that host and device share.
  bool is_shared(std::uintptr_t address) const {
    return granules_[(address >> granule_bits) % granules_.size()] & while_work_is_pending;
  }
  void on_access(const watch::MemoryAccess& access) const { handler_(access); }
  // Reports an access by a library function, which is not hooked.
  void on_range(watch::MemoryAccess::Operation operation, const void* begin, std::size_t bytes,
                const void* pc) const {
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    if (bytes > 0 && (is_watched(address) || is_watched(address + bytes - 1)))
      on_access({operation, address, bytes, reinterpret_cast<std::uintptr_t>(pc)});
  }

 private:
  static constexpr unsigned granule_bits = 20;  // log2 of a granule's bytes

  std::array<std::uint8_t, std::size_t{1} << 16> granules_{};
  std::uint8_t armed_ = always;  // the bits of When for which accesses are reported now
  Handler handler_ = nullptr;
};

inline constinit HostAccesses host_accesses;

// Sets the thread-local variables that kernels read as blockIdx, blockDim and gridDim.
void set_grid_and_block(const LaunchConfig& config, const Extent& block_index);
void set_shared_memory(const char* begin, std::size_t bytes);
bool is_in_shared_memory(std::uintptr_t address);
Extent current_block_index();
Extent current_thread_index();
// Returns the range of the calling worker's threadIdx, blockIdx and so on.
watch::AddressRange index_variables();

// Sets the file for printf in unchecked kernels, such as a whole program's. If null, their output is kept,
// as it always is in checked kernels.
void set_kernel_output(std::FILE* file);
std::FILE* kernel_output();

// printf in a kernel, which returns the number of arguments, as CUDA's does. `pc`: the call's return address.
int print_from_kernel(const char* format, std::va_list& arguments, const void* pc);

// Ends the kernel, whose assertion failed in `line`. `pc` is the return address of the call.
[[noreturn]] void fail_assertion(const char* condition, int line, const void* pc);

// Called for a wrong index, address or divisor in the host's code of a program.
using HostDefectHandler = void (*)(const watch::FoundDefect& defect);
void set_host_defect_handler(HostDefectHandler handler);

// The scheduler of the block that runs on this worker thread.
inline constinit thread_local BlockScheduler* running_scheduler = nullptr;
inline void set_scheduler(BlockScheduler* scheduler) {
  running_scheduler = scheduler;
}
inline BlockScheduler* scheduler_of_this_thread() {
  return running_scheduler;
}

}  // namespace gpulab::simulator::schedule
