#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "simulator/count/access_recorder.hpp"

namespace gpulab::simulator::schedule {

// Memory whose accesses by the host's own code somebody wants to know of. The code of a whole program is hooked like
// that of its kernels, and nearly all that it touches is of no interest: so a look at one byte of a table tells
// which granules of the addresses are. Different ones may share a byte.
class HostAccesses {
 public:
  enum When : std::uint8_t { never = 0, always = 1, while_work_is_pending = 2 };
  using Handler = void (*)(const count::MemoryAccess& access);

  void watch(std::uintptr_t begin, std::size_t bytes, When when) {
    for (std::uintptr_t granule = begin >> shift; granule <= (begin + bytes - 1) >> shift; ++granule)
      granules_[granule % granules_.size()] |= when;
  }
  void forget_all() { granules_.fill(never); }
  void set_handler(Handler handler) { handler_ = handler; }
  void set_pending(bool is_pending) { armed_ = is_pending ? always | while_work_is_pending : always; }

  bool is_watched(std::uintptr_t address) const { return granules_[(address >> shift) % granules_.size()] & armed_; }
  void at_access(const count::MemoryAccess& access) const { handler_(access); }

 private:
  static constexpr unsigned shift = 20;

  std::array<std::uint8_t, std::size_t{1} << 16> granules_{};
  std::uint8_t armed_ = always;
  Handler handler_ = nullptr;
};

inline constinit HostAccesses host_accesses;

}  // namespace gpulab::simulator::schedule
