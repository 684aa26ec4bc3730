#pragma once

#include <array>
#include <cstdint>

#include "core/access_counts.hpp"

namespace gpulab::simulator::count {

// The addresses that the lanes of one warp give one memory instruction, executed once.
struct LaneAddresses {
  std::uint32_t lanes = 0;  // those that take part
  std::array<std::uintptr_t, 32> of_lane;
};

// What that request asks of memory, where each lane accesses so many bytes (1, 2, 4, 8 or 16).
AccessSums sums_of_request(AccessKind kind, unsigned bytes, const LaneAddresses& addresses);

// How the same request lays out what it asks for, given what it asks.
AccessPattern pattern_of_request(AccessKind kind, unsigned bytes, const LaneAddresses& addresses,
                                 const AccessSums& sums);

}  // namespace gpulab::simulator::count
