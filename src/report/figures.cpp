#include "report/figures.hpp"

#include <algorithm>

namespace gpulab::report {
namespace {

std::optional<double> median_of(const Timing& timing) {
  if (timing.samples_s.empty() || !(timing.median_s > 0)) return std::nullopt;
  return timing.median_s;
}

}  // namespace

bool is_right_as_expected(const VariantResult& variant) {
  return variant.expected == Outcome::right && variant.observed == Outcome::right;
}

std::optional<double> kernel_median_s(const LessonResult& result, const VariantResult& variant) {
  const bool meaningful = is_right_as_expected(variant) && variant.size == result.size && !result.simulated();
  if (!meaningful || !variant.kernel_cold) return std::nullopt;
  return median_of(*variant.kernel_cold);
}

std::optional<double> reference_median_s(const ReferenceResult& reference) {
  return median_of(reference.timing);
}

std::optional<double> effective_bytes_per_s(const Traffic& traffic, std::optional<double> seconds) {
  const double bytes = traffic.bytes_read + traffic.bytes_written;
  if (!seconds || bytes <= 0) return std::nullopt;
  return bytes / *seconds;
}

std::optional<double> operations_per_s(const Traffic& traffic, std::optional<double> seconds) {
  if (!seconds || traffic.operations <= 0) return std::nullopt;
  return traffic.operations / *seconds;
}

std::optional<double> problem_median_s(const LessonResult& result, const VariantResult& variant) {
  return variant.computes_all ? kernel_median_s(result, variant) : std::nullopt;
}

std::optional<double> fraction_of_peak(const LessonResult& result, const VariantResult& variant,
                                       std::optional<double> seconds) {
  const bool by_operations = result.traffic.limited_by_operations;
  const double peak = by_operations ? result.device.peak_operations_per_s : result.device.peak_bytes_per_s;
  const std::optional<double> rate = by_operations ? operations_per_s(result.traffic, seconds)
                                                   : effective_bytes_per_s(result.traffic, seconds);
  if (!rate || peak <= 0) return std::nullopt;
  const std::size_t devices = std::max<std::size_t>(1, variant.ranks.size());
  return *rate / peak / static_cast<double>(devices);
}

std::optional<double> with_copies_s(const LessonResult& result, std::optional<double> kernel_s) {
  if (!kernel_s || !result.transfers) return std::nullopt;
  const std::optional<double> up_s = median_of(result.transfers->to_device);
  const std::optional<double> down_s = median_of(result.transfers->to_host);
  if (!up_s || !down_s) return std::nullopt;
  return *kernel_s + *up_s + *down_s;
}

std::optional<double> speed_up(const ReferenceResult& reference, std::optional<double> seconds) {
  const std::optional<double> reference_s = median_of(reference.timing);
  if (!seconds || !reference_s) return std::nullopt;
  return *reference_s / *seconds;
}

}  // namespace gpulab::report
