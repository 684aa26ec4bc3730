#pragma once

#include "lesson/access_counts.hpp"
#include "test.hpp"

namespace gpulab {

// For GoogleTest's messages. Every test that compares sums includes it, or the linker picks one printer for
// all.
inline void PrintTo(const AccessSums& sums, std::ostream* out) {
  *out << sums.requests << " requests of " << sums.active_lanes << " lanes, " << sums.sectors << " sectors, "
       << sums.bytes << " bytes, " << sums.bank_wavefronts << " wavefronts, " << sums.max_same_address
       << " at one address";
}

}  // namespace gpulab
