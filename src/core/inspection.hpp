#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/access_counts.hpp"
#include "core/result.hpp"

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

// What the kernels of a lesson ask of memory, line by line, as the simulator counts it.

struct VariantInspection {
  VariantResult
      result;           // of the run that was counted; what it asked for is known only when it ran to its end
  std::string problem;  // what it was run on, as the problem describes itself
  std::string file;     // of its kernels, as messages call it
  std::string source;   // the text of that file
  AccessCounts counts;
};

struct Inspection {
  std::string lesson;
  std::string title;
  std::uint64_t seed = 0;
  std::map<std::string, OptionValue> options;  // the lesson's own, as counted with
  std::size_t asked_size = 0;  // work items of the problem that was asked for, which may have been too large
  std::vector<VariantInspection> variants;
};

// Whether the variant ran to its end, so that its accesses are known.
bool is_counted(const VariantInspection& variant);

// 0 when every variant did what the lesson expects; otherwise the most severe of what happened.
ExitCode exit_code_of(const Inspection& inspection);

}  // namespace gpulab
