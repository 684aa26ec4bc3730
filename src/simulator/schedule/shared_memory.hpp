#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gpulab::simulator::schedule {

// The most shared memory that a block can have, static and dynamic together. GPUs of compute capability 7.5
// (a T4) have the least of all since 7.0, so a launch that fits here fits on all of those.
constexpr std::size_t simulated_shared_bytes = 64 * 1024;

// Where a kernel's shared memory lies. It is thread-local storage of the kernel's shared object, so every
// worker has its own, at the same distances from the start of the dynamic part.
struct SharedMemory {
  struct Range {
    std::size_t offset = 0;  // from the start of the module's thread-local storage
    std::size_t bytes = 0;
    std::string variable = {};  // its name in the kernel file
    // By which g++ knows whether an object is constructed already. Device code has no such moment: it always is.
    bool is_guard = false;
  };
  char* (*dynamic_address)() = nullptr;  // of the calling worker
  std::size_t dynamic_offset = 0;
  std::size_t module_bytes = 0;  // all thread-local storage of the module
  // The __shared__ variables that the kernel may use: its own, and those of device functions, of which the
  // symbols do not tell who calls them. Only its own count towards the limit.
  std::vector<Range> statics;
  std::size_t static_bytes = 0;
  bool has_dynamic = false;       // the file declares extern __shared__ arrays
  std::size_t dynamic_bytes = 0;  // of this launch
};

// Hardware leaves garbage in shared memory. This makes a block's one that shows: NaN, and a negative number;
// and as a word it is none that an output holds before a launch, so that who stores it is known to have
// stored something. Behind the dynamic part, as far as the launch asked for it, comes a canary.
void fill_with_garbage(const SharedMemory& shared);

// Whether a block wrote past the end of its dynamic part.
bool has_written_past_dynamic(const SharedMemory& shared);

}  // namespace gpulab::simulator::schedule
