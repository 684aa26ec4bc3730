#pragma once

#include <string_view>

namespace gpulab {

// What the simulator counts of a warp's accesses to memory. One request is one load, store or atomic of a
// warp.
enum class AccessMetric {
  sectors_per_load,  // 32-byte pieces of global memory that a load of a warp touches: 4 at best for 4 bytes
                     // each
  sectors_per_store,
  lanes_per_request,     // threads of the warp that take part: 32 at best
  bank_ways_per_load,    // times that shared memory must be asked for one load: 1 at best
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
