#pragma once

#include <optional>

#include "core/access_counts.hpp"

namespace gpulab {

// What makes accesses cost more than they have to.
enum class AccessCost {
  sectors,         // more of them than the bytes wanted would fill
  bank_conflicts,  // words of shared memory that meet in a bank
  same_address,    // atomics that meet at one address
  idle_lanes,      // requests that only a part of the warp takes part in
};

// The accesses of one kind in one line, and what is worst about them.
struct CostlyAccess {
  LineAccesses accesses;
  AccessCost cost = AccessCost::sectors;
};

// Where most is asked for in vain, over all requests. None where that is little: less than a fifth of what
// the line needs, or than a twentieth of what the kernels ask for.
std::optional<CostlyAccess> costliest_access(const AccessCounts& counts);

// The distance in bytes between what neighbouring lanes access where most is asked for in vain; none where
// there are several.
std::optional<std::int64_t> stride_of(const CostlyAccess& costly);

}  // namespace gpulab
