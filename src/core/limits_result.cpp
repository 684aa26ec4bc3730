#include "core/limits_result.hpp"

#include <algorithm>

namespace gpulab {
namespace {

std::optional<double> ratio(std::optional<double> numerator, std::optional<double> denominator) {
  if (!numerator || !denominator || !(*numerator > 0) || !(*denominator > 0)) return std::nullopt;
  return *numerator / *denominator;
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

std::optional<double> part_of_ceiling(const LimitResult& measured) {
  return ratio(rate_of(measured.traffic, cold_s(measured.rung)), measured.ceiling.per_s);
}

std::optional<double> times_yardstick(const LimitResult& measured) {
  return measured.yardstick ? ratio(cold_s(*measured.yardstick), cold_s(measured.rung)) : std::nullopt;
}

bool meets_target(const LimitResult& measured) {
  const auto reaches = [](std::optional<double> figure, double target) {
    return target == 0 || (figure && *figure >= target);
  };
  return cold_s(measured.rung) && reaches(part_of_ceiling(measured), measured.asked.at_least) &&
         (!measured.yardstick || reaches(times_yardstick(measured), measured.asked.at_least_times));
}

ExitCode exit_code_of(const LimitsResult& result) {
  ExitCode code = ExitCode::ok;
  const auto add = [&](const VariantResult& variant) { code = std::max(code, exit_code_of(variant)); };
  for (const LimitResult& one : result.cases) {
    add(one.rung);
    if (one.yardstick) add(*one.yardstick);
  }
  return code;
}

}  // namespace gpulab
