#include "run/sampling.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/statistics.hpp"
#include "base/text.hpp"

namespace gpulab::run {
namespace {

constexpr double min_energy_time_s = 0.5;
constexpr double longest_wait_s = 1;  // until the counter moves

struct Reading {
  double joules = 0;
  double at_s = 0;
  std::size_t samples = 0;  // samples taken so far
};

class EnergyMeter {
 public:
  EnergyMeter(Stopwatch& stopwatch, const EnergyCounter& counter)
      : stopwatch_(stopwatch), counter_(counter) {}

  // Takes samples until the counter moves, at the given moment or later.
  std::optional<Reading> next_change(double not_before_s) {
    std::optional<double> last = counter_();
    const double give_up_s = std::max(not_before_s, stopwatch_.now_s()) + longest_wait_s;
    while (last && stopwatch_.now_s() < give_up_s) {
      stopwatch_.take(1, thrown_away_);
      const std::optional<double> joules = counter_();
      const double now_s = stopwatch_.now_s();
      if (joules && *joules > *last && now_s >= not_before_s)
        return Reading{*joules, now_s, thrown_away_.size()};
      last = joules;
    }
    return std::nullopt;
  }

 private:
  Stopwatch& stopwatch_;
  const EnergyCounter& counter_;
  std::vector<double> thrown_away_;
};

}  // namespace

std::optional<Energy> measure_energy(Stopwatch& stopwatch, std::size_t runs_in_a_sample,
                                     const EnergyCounter& counter) {
  EnergyMeter meter(stopwatch, counter);
  const std::optional<Reading> begin = meter.next_change(stopwatch.now_s());
  if (!begin) return std::nullopt;
  const std::optional<Reading> end = meter.next_change(begin->at_s + min_energy_time_s);
  if (!end) return std::nullopt;
  const double joules = end->joules - begin->joules, seconds = end->at_s - begin->at_s;
  const auto runs = static_cast<double>((end->samples - begin->samples) * runs_in_a_sample);
  return Energy{.joules_per_run = joules / runs, .watts = joules / seconds, .seconds = seconds};
}

namespace {

using Warning = std::optional<std::string>;

// Interval half-width above which a median is not good to two digits.
constexpr double unstable_half_width = 0.02;
// Ratio of the medians of the last and first third, whose intervals must also be disjoint.
constexpr double drift_ratio = 1.03;
// Ratio of a slow first sample to the median. The sample must also be slower than all others.
constexpr double slow_first_ratio = 2;
// Shortest time that events measure to 5 %: they resolve about 0.5 us.
constexpr double too_short_s = 10e-6;
// Ratio of the fastest to the slowest clock of the samples.
constexpr double clock_ratio = 1.03;
// Fraction of the theoretical peak beyond which a rate is more than a measurement error.
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
  return fmt::format(
      "the median is uncertain by {} after {}{}", percent(*half_width), samples_text(timing.samples_s.size()),
      timing.stop == StopReason::sample_limit ? ": a larger size would be steadier"
                                              : ": allow more time, or see what else runs on this machine");
}

// Compares the medians of thirds; their intervals must not overlap, so that noise is not called drift.
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
  return fmt::format(
      "the last third of the samples is {}{} than the first: clocks or load changed, so repeat it with a longer warm-up",
      percent(std::abs(last.median_s / first.median_s - 1)), slower ? " slower" : " faster");
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
  return "the median is below 10 us and the events that time it resolve about 0.5 us, so differences between launches this short mean little: a larger size would show more";
}

Warning clock_changed(const Timing& timing) {
  if (timing.clocks_hz.empty()) return std::nullopt;
  const auto [slowest, fastest] = std::ranges::minmax(timing.clocks_hz);
  if (fastest <= clock_ratio * slowest) return std::nullopt;
  return fmt::format(
      "the clock of the multiprocessors moved between {} and {} while it was timed: the GPU is too warm, at its power limit, or still waking up",
      clock_text(slowest), clock_text(fastest));
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
         " of the theoretical peak, and above 102 % it is not a DRAM figure: the data stays in a cache, or the lesson counts more bytes than it must move";
}

void HostStopwatch::take(std::size_t count, std::vector<double>& samples_s) {
  for (std::size_t i = 0; i < count; ++i) {
    const double start_s = now_s();
    work_();
    samples_s.push_back(now_s() - start_s);
  }
}

Timing summarise(std::vector<double> samples_s, StopReason stop) {
  std::vector<double> sorted = samples_s;
  std::ranges::sort(sorted);
  Timing timing;
  timing.samples_s = std::move(samples_s);
  timing.median_s = median(sorted);
  timing.stop = stop;
  if (const auto ranks = median_ranks(sorted.size()))
    timing.confidence_s = Interval{.low = sorted[ranks->low - 1], .high = sorted[ranks->high - 1]};
  return timing;
}

namespace {

// Number of samples before the first look at the interval.
constexpr std::size_t first_check = 30;
// For slow samples, the smallest count that has an interval.
constexpr std::size_t first_check_if_slow = 6;
// Largest fraction of the budget for one batch, which may turn out slower than the samples before it.
constexpr double max_batch_fraction = 0.1;

struct Samples {
  std::vector<double> seconds;
  std::vector<double> clocks_hz;  // one per sample, if known

  Timing summarised(StopReason stop) const {
    Timing timing = summarise(seconds, stop);
    if (clocks_hz.size() == seconds.size()) timing.clocks_hz = clocks_hz;
    return timing;
  }
};

// Takes batches and tracks the wall-clock cost per sample, including all overhead.
class Batches {
 public:
  Batches(Stopwatch& stopwatch, const SamplingPlan& plan)
      : stopwatch_(stopwatch), max_batch_(std::max<std::size_t>(plan.first_batch, 1)) {}

  // Takes as many as fit in the time at the current cost: at least one, at most twice the largest batch.
  void take(double time_s, std::size_t max_count, Samples& samples) {
    std::vector<double>& samples_s = samples.seconds;
    const std::size_t count = std::min({fitting(time_s, max_count), max_batch_, max_count});
    const std::size_t count_before = samples_s.size();
    const double start_s = stopwatch_.now_s();
    stopwatch_.take(std::max<std::size_t>(count, 1), samples_s);
    if (samples_s.size() <= count_before) throw std::logic_error("the stopwatch took no sample");
    if (const auto clock_hz = stopwatch_.clock_hz()) samples.clocks_hz.resize(samples_s.size(), *clock_hz);
    cost_s_ = (stopwatch_.now_s() - start_s) / static_cast<double>(samples_s.size() - count_before);
    max_batch_ = std::max(max_batch_, 2 * (samples_s.size() - count_before));
  }

  // Returns how many samples fit in the time, at most `max_count`. While the cost is unknown, all fit.
  std::size_t fitting(double time_s, std::size_t max_count) const {
    if (time_s <= 0) return 0;
    if (cost_s_ <= 0 || time_s / cost_s_ >= static_cast<double>(max_count)) return max_count;
    return static_cast<std::size_t>(time_s / cost_s_);
  }

 private:
  Stopwatch& stopwatch_;
  std::size_t max_batch_;
  double cost_s_ = 0;
};

void warm_up(Stopwatch& stopwatch, const SamplingPlan& plan, Batches& batches) {
  const double end_s = stopwatch.now_s() + plan.warm_up_s;
  for (double left_s = plan.warm_up_s; left_s > 0; left_s = end_s - stopwatch.now_s()) {
    Samples thrown_away;
    batches.take(std::min(left_s, max_batch_fraction * plan.time_budget_s), plan.max_samples, thrown_away);
  }
}

bool is_converged(const Timing& timing, const SamplingPlan& plan) {
  const auto half_width = timing.relative_half_width();
  return half_width && *half_width <= plan.target_relative_half_width;
}

}  // namespace

Timing sample(Stopwatch& stopwatch, const SamplingPlan& plan) {
  Batches batches(stopwatch, plan);
  warm_up(stopwatch, plan, batches);

  const std::size_t max_count = std::max<std::size_t>(plan.max_samples, 1);
  Samples samples;
  const std::vector<double>& samples_s = samples.seconds;
  const double end_s = stopwatch.now_s() + plan.time_budget_s;
  const double batch_s = max_batch_fraction * plan.time_budget_s;
  batches.take(batch_s, std::min(first_check_if_slow, max_count), samples);
  const std::size_t fitting = batches.fitting(end_s - stopwatch.now_s(), first_check);
  const bool is_slow = samples_s.size() + fitting < first_check;

  // Each round takes samples up to the next count at which the interval is checked.
  for (std::size_t checked_at = std::min(is_slow ? first_check_if_slow : first_check, max_count);;
       checked_at = std::min(2 * checked_at, max_count)) {
    while (samples_s.size() < checked_at) {
      const double left_s = end_s - stopwatch.now_s();
      if (batches.fitting(left_s, 1) == 0) return samples.summarised(StopReason::time_budget);
      batches.take(std::min(left_s, batch_s), checked_at - samples_s.size(), samples);
    }
    const Timing timing = samples.summarised(StopReason::converged);
    if (is_converged(timing, plan)) return timing;
    if (samples_s.size() >= max_count) return samples.summarised(StopReason::sample_limit);
  }
}

}  // namespace gpulab::run
