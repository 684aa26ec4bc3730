#pragma once

#include "lesson/access_counts.hpp"
#include "test.hpp"

namespace gpulab {

// Prints sums in GoogleTest's messages. Every test that compares sums includes this file, since the linker
// keeps one printer for all tests.
inline void PrintTo(const AccessSums& sums, std::ostream* out) {
  *out << sums.requests << " requests of " << sums.active_lanes << " lanes, " << sums.sectors << " sectors, "
       << sums.bytes << " bytes, " << sums.bank_wavefronts << " wavefronts, " << sums.max_same_address
       << " at one address";
}

}  // namespace gpulab
