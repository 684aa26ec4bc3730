#include "measure/warnings.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "core/text.hpp"
#include "measure/sampling.hpp"

namespace gpulab::measure {
namespace {

using Warning = std::optional<std::string>;

// Half the width of the interval, from which on a median is not worth two digits.
constexpr double unstable_half_width = 0.02;
// Between the medians of the first and the last third, whose intervals must also be apart.
constexpr double drift_ratio = 1.03;
// A first sample that is slower than every other one and this many times the median.
constexpr double slow_first_ratio = 2;
// Events resolve about 0.5 us: 5 % of it.
constexpr double too_short_s = 10e-6;
// Between the slowest and the fastest clock of the samples.
constexpr double clock_ratio = 1.03;
// Of the theoretical peak; what is above is more than the error of a measurement.
constexpr double max_of_peak = 1.02;

std::string percent(double fraction) {
  return with_decimals(100 * fraction, 1) + " %";
}

std::string samples_text(std::size_t count) {
  return grouped(count) + (count == 1 ? " sample" : " samples");
}

Warning too_few(const Timing& timing) {
  if (timing.confidence_s) return std::nullopt;
  return "only " + samples_text(timing.samples_s.size()) +
         ", too few for a confidence interval: allow more time, or ask for a smaller size";
}

Warning unstable(const Timing& timing) {
  const auto half_width = timing.relative_half_width();
  if (timing.stop == StopReason::converged || !half_width || *half_width <= unstable_half_width)
    return std::nullopt;
  return "the median is uncertain by " + percent(*half_width) + " after " +
         samples_text(timing.samples_s.size()) +
         (timing.stop == StopReason::sample_limit
              ? ": a larger size would be steadier"
              : ": allow more time, or see what else runs on this machine");
}

// Medians of a third each; the intervals must not overlap, so that noise alone is not called a drift.
Warning drift(const Timing& timing) {
  const auto third = static_cast<std::ptrdiff_t>(timing.samples_s.size() / 3);
  if (!median_ranks(static_cast<std::size_t>(third))) return std::nullopt;
  const auto begin = timing.samples_s.begin(), end = timing.samples_s.end();
  const Timing first = summarise({begin, begin + third}, timing.stop);
  const Timing last = summarise({end - third, end}, timing.stop);
  const bool slower = last.confidence_s->low > first.confidence_s->high;
  const bool faster = last.confidence_s->high < first.confidence_s->low;
  const double ratio = slower ? last.median_s / first.median_s : first.median_s / last.median_s;
  if (!(slower || faster) || ratio < drift_ratio) return std::nullopt;
  return "the last third of the samples is " + percent(std::abs(last.median_s / first.median_s - 1)) +
         (slower ? " slower" : " faster") +
         " than the first: clocks or load changed, so repeat it with a longer warm-up";
}

Warning slow_first(const Timing& timing) {
  const std::span<const double> samples = timing.samples_s;
  if (samples.size() < 3) return std::nullopt;
  const double slowest_other = *std::ranges::max_element(samples.subspan(1));
  const double ratio = samples.front() / timing.median_s;
  if (samples.front() <= slowest_other || ratio < slow_first_ratio) return std::nullopt;
  return "the first sample took " + with_decimals(ratio, 1) +
         " times the median: something was set up in it, so warm up longer";
}

Warning too_short(const Timing& timing) {
  if (timing.median_s >= too_short_s) return std::nullopt;
  return "the median is below 10 us and the events that time it resolve about 0.5 us, so differences between "
         "launches this short mean little: a larger size would show more";
}

Warning clock_changed(const Timing& timing) {
  if (timing.clocks_hz.empty()) return std::nullopt;
  const auto [slowest, fastest] = std::ranges::minmax(timing.clocks_hz);
  if (fastest <= clock_ratio * slowest) return std::nullopt;
  return "the clock of the multiprocessors moved between " + megahertz(slowest) + " and " +
         megahertz(fastest) +
         " while it was timed: the GPU is too warm, at its power limit, or still waking up";
}

}  // namespace

std::vector<std::string> timing_warnings(const Timing& timing) {
  std::vector<std::string> warnings;
  for (const auto rule : {too_few, too_short, unstable, drift, slow_first, clock_changed})
    if (const Warning warning = rule(timing)) warnings.push_back(*warning);
  return warnings;
}

std::optional<std::string> peak_warning(const Timing& timing, const Traffic& traffic,
                                        double peak_bytes_per_s) {
  if (timing.median_s <= 0 || peak_bytes_per_s <= 0) return std::nullopt;
  const double bytes_per_s = (traffic.bytes_read + traffic.bytes_written) / timing.median_s;
  const double of_peak = bytes_per_s / peak_bytes_per_s;
  if (of_peak <= max_of_peak) return std::nullopt;
  return percent(of_peak) +
         " of the theoretical peak, and above 102 % it is not a DRAM figure: the data stays in a cache, or "
         "the "
         "lesson counts more bytes than it must move";
}

}  // namespace gpulab::measure
