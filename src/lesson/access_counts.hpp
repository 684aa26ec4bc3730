#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

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
  std::uint64_t min_sectors = 0;          // if the bytes wanted filled whole sectors
  std::uint64_t min_bank_wavefronts = 0;  // if no two words met in a bank
  // Of what is asked for in vain: each sector and each wavefront above the least is a vote of its request.
  LaneStride costly_stride = {};

  AccessPattern& operator+=(const AccessPattern& other);
  friend bool operator==(const AccessPattern&, const AccessPattern&) = default;
};

// What the warps of a launch asked of memory, as the simulator counts it. One request is one load, store or
// atomic instruction, executed once by the lanes of one warp together.

enum class AccessKind : unsigned char {
  global_load,
  global_store,
  global_atomic,
  shared_load,
  shared_store,
  shared_atomic
};

// "global load"
std::string_view name_of(AccessKind kind);

constexpr bool is_shared(AccessKind kind) {
  return kind >= AccessKind::shared_load;
}
constexpr bool is_atomic(AccessKind kind) {
  return kind == AccessKind::global_atomic || kind == AccessKind::shared_atomic;
}

// Each is a sum over requests; divided by requests it is what profilers show.
struct AccessSums {
  std::uint64_t requests = 0;
  std::uint64_t active_lanes = 0;      // that took part
  std::uint64_t sectors = 0;           // of global memory: different 32-byte pieces touched
  std::uint64_t bytes = 0;             // of global memory: different bytes wanted
  std::uint64_t bank_wavefronts = 0;   // of shared memory: times that its busiest bank had to answer
  std::uint64_t max_same_address = 0;  // of atomics: the most lanes that met at one address

  AccessSums& operator+=(const AccessSums& other);
  friend bool operator==(const AccessSums&, const AccessSums&) = default;
};

// The accesses of one kind in one line of the kernel file; 0 is the line that could not be told.
struct LineAccesses {
  int line = 0;
  AccessKind kind = AccessKind::global_load;
  AccessSums sums;
  AccessPattern pattern = {};
};

struct AccessCounts {
  std::vector<LineAccesses> lines;  // by line, then by kind; each pair once

  // Adds the requests to those of that line and kind.
  void add(const LineAccesses& accesses);
};

// Of all lines.
AccessSums sums_of(const AccessCounts& counts, AccessKind kind);

// The rest are means over requests, and 0 where there were none.

// For 32 lanes that access 4 bytes each: 4 at best, 32 at worst. For 16 bytes each, 16 at best.
double sectors_per_request(const AccessCounts& counts, AccessKind kind);
// Of all kinds: 32 at best.
double active_lanes_per_request(const AccessCounts& counts);
// Of shared memory. For 4 bytes each: 1 at best, 32 at worst. For 8 bytes 2 at best, for 16 bytes 4.
double wavefronts_per_request(const AccessCounts& counts);
double wavefronts_per_request(const AccessCounts& counts, AccessKind kind);
// Of atomics: 1 at best, 32 at worst.
double max_same_address_per_request(const AccessCounts& counts);

// The part of the bytes in all touched sectors of global loads and stores that some lane wanted: 1 at best.
double wanted_part_of_sectors(const AccessCounts& counts);
double wanted_part_of_sectors(const AccessSums& sums);

// What the simulator counts of a warp's accesses to memory. One request is one load, store or atomic of a
// warp.
enum class AccessMetric {
  sectors_per_load,  // 32-byte pieces of global memory that a load of a warp touches: 4 at best for 4 bytes
                     // each
  sectors_per_store,
  lanes_per_request,   // threads of the warp that take part: 32 at best
  bank_ways_per_load,  // times that shared memory must be asked for one load: 1 at best
  bank_ways_per_store,
  lanes_at_one_address,  // atomics of one request that meet at one address: 1 at best
};

// As it stands in a table.
constexpr std::string_view name_of(AccessMetric metric) {
  switch (metric) {
    case AccessMetric::sectors_per_load:
      return "sectors per load";
    case AccessMetric::sectors_per_store:
      return "sectors per store";
    case AccessMetric::lanes_per_request:
      return "active lanes";
    case AccessMetric::bank_ways_per_load:
      return "bank ways per load";
    case AccessMetric::bank_ways_per_store:
      return "bank ways per store";
    default:
      return "lanes at one address";
  }
}

}  // namespace gpulab
