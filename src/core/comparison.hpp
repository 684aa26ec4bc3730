#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/bench_result.hpp"

namespace gpulab {

// How what was measured now differs from what was measured before.
enum class ChangeKind {
  regressed,     // needs more: time, energy or accesses
  improved,
  same,
  inconclusive,  // what was measured does not tell
  invalid,       // a result is wrong, so that its figures mean nothing
  is_new,
  missing,
  incomparable,  // was not measured alike
};

// One figure of one case, before and now.
struct Change {
  BenchCase what;
  std::string figure;  // "cold", "steady", "energy", "global_load.sectors"; empty for a case as a whole
  ChangeKind kind = ChangeKind::same;
  std::optional<double> before, now;    // medians over processes of their medians, in s or J; counts
  std::optional<double> ratio;          // now / before
  std::optional<Interval> ratio_range;  // in which it lies; none for counts, which are exact
  std::string reason;                   // in words, where the kind alone does not say
};

struct ComparisonRules {
  double threshold = 0.03;                      // of a time, as a part of it
  std::optional<double> min_difference_s = {};  // none: what its clock resolves
};

struct Comparison {
  ComparisonRules rules;
  std::vector<BenchResult> before, now;  // without samples
  std::vector<Change> changes;           // the worst first, within a lesson
  std::vector<std::string> remarks;
};

// 5 when something regressed, 1 when a result that was right is wrong now, 0 otherwise.
ExitCode exit_code_of(const Comparison& comparison);

}  // namespace gpulab
