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

struct LimitResult {
  std::string lesson;
  LimitCase asked;
  std::string problem;
  Traffic traffic;  // what the ceiling counts
  VariantResult rung;
  std::optional<VariantResult> yardstick;  // none where its library is missing
  Ceiling ceiling;
  std::optional<ReferenceResult> reference;  // OpenMP
  std::optional<double>
      reference_of_ceiling;  // of what the CPU was measured to allow; can be above 1 in caches
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

// Which part of the ceiling the rung reached, as a fraction; none where it came out wrong.
std::optional<double> part_of_ceiling(const LimitResult& measured);

// How many times as fast as the yardstick the rung was; none where one of the two was not measured.
std::optional<double> times_yardstick(const LimitResult& measured);

// Whether the rung reached what it was asked for: a part of the ceiling, or the speed of a yardstick that is
// there.
bool meets_target(const LimitResult& measured);

// 0 when every variant came out right; otherwise the most severe of what happened. A target that is missed is
// not a failure of the program.
ExitCode exit_code_of(const LimitsResult& result);

}  // namespace gpulab
