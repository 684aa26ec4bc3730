#pragma once

#include <cstdint>
#include <vector>

namespace gpulab::simulator::schedule {

// What a lane brings to a warp operation, and what it takes away.
struct WarpRequest {
  std::uint64_t mine = 0;
  unsigned source = 0;             // the lane whose value it wants
  std::uint64_t* lanes = nullptr;  // where it wants the values of all 32 lanes, or null
  std::uint64_t result = 0;
};

// Which lanes of a warp have come to which warp operation. Lanes that name the same mask meet each other.
struct Warp {
  struct Group {
    std::uint32_t mask = 0;
    std::uint32_t arrived = 0;
  };

  std::uint32_t live = 0;  // lanes that exist and have not returned
  std::vector<Group> groups;

  // The group that gathers for that mask, made if there is none; its place in groups.
  std::size_t group_for(std::uint32_t mask) {
    for (std::size_t i = 0; i < groups.size(); ++i)
      if (groups[i].mask == mask) return i;
    groups.push_back({mask, 0});
    return groups.size() - 1;
  }

  // Lanes that have returned are not waited for, as on hardware since Volta.
  bool is_complete(const Group& group) const { return (group.mask & live & ~group.arrived) == 0; }
};

}  // namespace gpulab::simulator::schedule
