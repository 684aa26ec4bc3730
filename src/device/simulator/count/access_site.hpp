#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/access_counts.hpp"

namespace gpulab {

// One memory instruction of a kernel. A place in the code that accesses different kinds of memory, or
// different numbers of bytes, counts as several.
struct AccessSite {
  std::uintptr_t code = 0;
  AccessKind kind = AccessKind::global_load;
  unsigned bytes = 0;
  AccessSums sums = {};
  AccessPattern pattern = {};
};

// The sites that a launch has come to so far, on one worker. Allocates nothing after it is made.
class AccessSites {
 public:
  // Far more than a kernel that somebody reads has.
  static constexpr std::size_t most = 512;

  AccessSites() : slots_(slot_count) { sites_.reserve(most); }

  // The site's number, which is below most; it is added if it is new. None when there is no room for it.
  std::optional<std::size_t> number_of(std::uintptr_t code, AccessKind kind, unsigned bytes);
  AccessSite& operator[](std::size_t number) { return sites_[number]; }
  const std::vector<AccessSite>& all() const { return sites_; }

 private:
  struct Slot {
    std::uint64_t key = 0;  // 0: none
    std::uint32_t site = 0;
  };
  static constexpr std::size_t slot_count = 4 * most;  // a power of two, sparsely filled

  std::vector<Slot> slots_;  // a hash table: a key stands in the first free slot from its hash on
  std::vector<AccessSite> sites_;
};

}  // namespace gpulab
