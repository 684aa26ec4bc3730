#pragma once

#include <cstddef>

#include "core/problem.hpp"
#include "core/result.hpp"

namespace gpulab::measure {

// What this machine's memory and arithmetic allow to all its threads together.
struct HostCeilings {
  double read_bytes_per_s = 0;
  // Read and written bytes, of the better of two copies: past the caches, or not.
  double copy_bytes_per_s = 0;
  double operations_per_s = 0;  // float32 additions and multiplications, in fused multiply-adds
};

// Two arrays of so many bytes together are four times as large as the last cache that the system names, and
// have at least half a GiB: what lies in a cache would be taken for what memory allows.
std::size_t default_ceiling_array_bytes();

// Each of the three is the best that was reached in so many seconds of wall time; setting up takes as long
// again. Throws std::bad_alloc where there is no memory for the arrays.
HostCeilings measure_host_ceilings(double seconds, std::size_t array_bytes = default_ceiling_array_bytes());

// The least time, in seconds, in which a machine with these ceilings could move so much and do the
// operations: for every byte that is written one is read at the speed of a copy, the others at that of
// reading (or copying, where more is written), and arithmetic is done meanwhile. Nothing may be in a cache
// beforehand.
double min_host_time_s(const Traffic& traffic, const HostCeilings& ceilings);

// That time by the median of the reference: 1 is as fast as the machine allows. It can be more, where data
// fit a cache.
double fraction_of_ceilings(const ReferenceResult& reference, const Traffic& traffic,
                            const HostCeilings& ceilings);

}  // namespace gpulab::measure
