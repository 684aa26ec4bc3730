#pragma once

#include <cstdint>

namespace gpulab {

// The distance in bytes from what a lane accesses to what the lane after it does. Of many it is the one with
// more than half of all votes, if there is one: a vote for another takes a vote away.
struct LaneStride {
  std::int64_t bytes = 0;
  std::uint64_t votes = 0;  // never more than there were for this one

  LaneStride& operator+=(const LaneStride& other);
  friend bool operator==(const LaneStride&, const LaneStride&) = default;
};

// How the lanes of a warp lay out what they ask for, over the same requests as AccessSums.
struct AccessPattern {
  std::uint64_t least_sectors = 0;          // if the bytes wanted filled whole sectors
  std::uint64_t least_bank_wavefronts = 0;  // if no two words met in a bank
  // Of what is asked for in vain: each sector and each wavefront above the least is a vote of its request.
  LaneStride costly_stride = {};

  AccessPattern& operator+=(const AccessPattern& other);
  friend bool operator==(const AccessPattern&, const AccessPattern&) = default;
};

}  // namespace gpulab
