#include "measure/sampling.hpp"

#include <algorithm>
#include <stdexcept>

namespace gpulab::measure {

void HostStopwatch::take(std::size_t count, std::vector<double>& samples_s) {
  for (std::size_t i = 0; i < count; ++i) {
    const double start = now_s();
    work_();
    samples_s.push_back(now_s() - start);
  }
}

double HostStopwatch::now_s() {
  return steady_now_s();
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

constexpr std::size_t first_check = 30;
// For what is too slow for that: the fewest samples that have an interval.
constexpr std::size_t first_check_if_slow = 6;
// A batch is planned from the past. Should it suddenly go slower, no more than this part of the time is at
// stake.
constexpr double longest_batch = 0.1;

struct Samples {
  std::vector<double> seconds;
  std::vector<double> clocks_hz;  // as many, where somebody tells

  Timing summarised(StopReason stop) const {
    Timing timing = summarise(seconds, stop);
    if (clocks_hz.size() == seconds.size()) timing.clocks_hz = clocks_hz;
    return timing;
  }
};

// Takes batches and remembers what a sample costs of wall time, everything around it included.
class Batches {
 public:
  Batches(Stopwatch& stopwatch, const SamplingPlan& plan)
      : stopwatch_(stopwatch), largest_(std::max<std::size_t>(plan.first_batch, 1)) {}

  // As many as fit in the time at the cost seen so far, at most twice as many as ever before, at least one.
  void take(double time_s, std::size_t most, Samples& samples) {
    std::vector<double>& samples_s = samples.seconds;
    const std::size_t count = std::min({fitting(time_s, most), largest_, most});
    const std::size_t had = samples_s.size();
    const double start = stopwatch_.now_s();
    stopwatch_.take(std::max<std::size_t>(count, 1), samples_s);
    if (samples_s.size() <= had) throw std::logic_error("the stopwatch took no sample");
    if (const auto clock_hz = stopwatch_.clock_hz()) samples.clocks_hz.resize(samples_s.size(), *clock_hz);
    cost_s_ = (stopwatch_.now_s() - start) / static_cast<double>(samples_s.size() - had);
    largest_ = std::max(largest_, 2 * (samples_s.size() - had));
  }

  // How many samples fit in the time, counted up to most. While the cost is unknown, all do.
  std::size_t fitting(double time_s, std::size_t most) const {
    if (time_s <= 0) return 0;
    if (cost_s_ <= 0 || time_s / cost_s_ >= static_cast<double>(most)) return most;
    return static_cast<std::size_t>(time_s / cost_s_);
  }

 private:
  Stopwatch& stopwatch_;
  std::size_t largest_;
  double cost_s_ = 0;
};

void warm_up(Stopwatch& stopwatch, const SamplingPlan& plan, Batches& batches) {
  const double end = stopwatch.now_s() + plan.warm_up_s;
  for (double left = plan.warm_up_s; left > 0; left = end - stopwatch.now_s()) {
    Samples thrown_away;
    batches.take(std::min(left, longest_batch * plan.time_budget_s), plan.max_samples, thrown_away);
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

  const std::size_t most = std::max<std::size_t>(plan.max_samples, 1);
  Samples samples;
  const std::vector<double>& samples_s = samples.seconds;
  const double end = stopwatch.now_s() + plan.time_budget_s;
  const double batch_s = longest_batch * plan.time_budget_s;
  batches.take(batch_s, std::min(first_check_if_slow, most), samples);
  const bool slow = samples_s.size() + batches.fitting(end - stopwatch.now_s(), first_check) < first_check;

  for (std::size_t check = std::min(slow ? first_check_if_slow : first_check, most);;
       check = std::min(2 * check, most)) {
    while (samples_s.size() < check) {
      const double left_s = end - stopwatch.now_s();
      if (batches.fitting(left_s, 1) == 0) return samples.summarised(StopReason::time_budget);
      batches.take(std::min(left_s, batch_s), check - samples_s.size(), samples);
    }
    const Timing timing = samples.summarised(StopReason::converged);
    if (is_converged(timing, plan)) return timing;
    if (samples_s.size() >= most) return samples.summarised(StopReason::sample_limit);
  }
}

}  // namespace gpulab::measure
