#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/claim.hpp"
#include "core/result.hpp"

namespace gpulab {

// What the device was measured to do at most, with the same bytes or operations, and nothing besides.
struct Ceiling {
  std::string what;  // "read", "copy", "two reads, one write", "multiply-add"
  double per_s = 0;  // bytes or floating-point operations
};

struct TargetResult {
  Target target;
  std::optional<double> reached;  // in the target's own terms; none where it could not be measured
  bool met() const { return reached && *reached >= target.at_least; }
};

struct LimitResult {
  std::string lesson;
  LimitCase asked;
  std::string problem;
  Traffic traffic;
  VariantResult rung;
  std::optional<VariantResult> yardstick;  // none where its library is missing
  std::vector<VariantResult> others;       // rungs that a target compares with
  std::optional<Ceiling> ceiling;
  std::optional<ReferenceResult> reference;  // OpenMP
  std::optional<double>
      reference_of_ceiling;  // of what the CPU was measured to allow; can be above 1 in caches
  std::vector<TargetResult> targets;
};

struct LimitsResult {
  DeviceProperties device;
  std::uint64_t seed = 0;
  std::vector<LimitResult> cases;
  std::vector<std::string> remarks;  // what is missing, such as a library
};

// Seconds that a launch took cold, of a variant that came out right.
std::optional<double> cold_s(const VariantResult& variant);

// Of the ceiling's measure: bytes or operations per second.
std::optional<double> rate_of(const Traffic& traffic, std::optional<double> seconds);

// What of the ceiling a time amounts to, as a fraction.
std::optional<double> part_of(const std::optional<Ceiling>& ceiling, const Traffic& traffic,
                              std::optional<double> seconds);

// Compares what was measured with what was asked.
std::vector<TargetResult> judge_targets(const LimitResult& measured);

// 0 when every variant came out right; otherwise the most severe of what happened. A target that is missed is
// not a failure of the program.
ExitCode exit_code_of(const LimitsResult& result);

}  // namespace gpulab
