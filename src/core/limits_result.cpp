#include "core/limits_result.hpp"

#include <algorithm>

namespace gpulab {
namespace {

std::optional<double> ratio(std::optional<double> numerator, std::optional<double> denominator) {
  if (!numerator || !denominator || !(*numerator > 0) || !(*denominator > 0)) return std::nullopt;
  return *numerator / *denominator;
}

std::optional<double> seconds_of(const LimitResult& measured, const std::string& rung) {
  for (const VariantResult& other : measured.others)
    if (other.name == rung) return cold_s(other);
  return std::nullopt;
}

std::optional<double> reached(const LimitResult& measured, const Target& target) {
  const std::optional<double> rung_s = cold_s(measured.rung);
  switch (target.kind) {
    case Target::Kind::times_yardstick:
      return measured.yardstick ? ratio(cold_s(*measured.yardstick), rung_s) : std::nullopt;
    case Target::Kind::part_of_ceiling:
      return part_of(measured.ceiling, measured.traffic, rung_s);
    case Target::Kind::operations_per_s:
      return ratio(measured.traffic.operations, rung_s);
    case Target::Kind::times_rung:
      return ratio(seconds_of(measured, target.rung), rung_s);
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> cold_s(const VariantResult& variant) {
  if (variant.observed != Outcome::right || !variant.kernel_cold) return std::nullopt;
  return variant.kernel_cold->median_s;
}

std::optional<double> rate_of(const Traffic& traffic, std::optional<double> seconds) {
  return ratio(
      traffic.limited_by_operations ? traffic.operations : traffic.bytes_read + traffic.bytes_written,
      seconds);
}

std::optional<double> part_of(const std::optional<Ceiling>& ceiling, const Traffic& traffic,
                              std::optional<double> seconds) {
  if (!ceiling) return std::nullopt;
  return ratio(rate_of(traffic, seconds), ceiling->per_s);
}

std::vector<TargetResult> judge_targets(const LimitResult& measured) {
  std::vector<TargetResult> judged;
  for (const Target& target : measured.asked.targets) judged.push_back({target, reached(measured, target)});
  return judged;
}

ExitCode exit_code_of(const LimitsResult& result) {
  ExitCode code = ExitCode::ok;
  const auto add = [&](const VariantResult& variant) { code = std::max(code, exit_code_of(variant)); };
  for (const LimitResult& one : result.cases) {
    add(one.rung);
    if (one.yardstick) add(*one.yardstick);
    std::ranges::for_each(one.others, add);
  }
  return code;
}

}  // namespace gpulab
