#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "core/median.hpp"
#include "core/result.hpp"

namespace gpulab::measure {

// Seconds since a fixed moment, by a clock that nobody sets.
inline double steady_now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// How long one thing takes, however that is found out. Sampling sees time through this alone.
class Stopwatch {
 public:
  virtual ~Stopwatch() = default;

  // Does the thing count times and appends what each took, in seconds.
  virtual void take(std::size_t count, std::vector<double>& samples_s) = 0;

  // The clock on the wall, in seconds since any fixed moment. A sample costs more of it than it measures.
  virtual double now_s() = 0;

  // Of the multiprocessors that did the last samples, in Hz; none where nobody tells.
  virtual std::optional<double> clock_hz() { return std::nullopt; }
};

// Times work on the CPU with a clock that nobody sets.
class HostStopwatch : public Stopwatch {
 public:
  explicit HostStopwatch(std::function<void()> work) : work_(std::move(work)) {}

  void take(std::size_t count, std::vector<double>& samples_s) override;
  double now_s() override;

 private:
  std::function<void()> work_;
};

// Keeps the samples in the order they were taken in.
Timing summarise(std::vector<double> samples_s, StopReason stop);

struct SamplingPlan {
  double time_budget_s = 1;  // of wall time, after the warm-up
  double warm_up_s = 0.1;    // of wall time; 0 for none
  double target_relative_half_width = 0.01;
  std::size_t first_batch = 1;  // how many to take while nothing is known of the time they need
  std::size_t max_samples = 1000;
};

// Warms up, then takes samples until the confidence interval of the median is as narrow as the target, the
// time is spent, or there are enough. The interval is looked at when the count has doubled only, because a
// look at every sample would stop at the first lucky one. At least one sample is taken, whatever it costs.
Timing sample(Stopwatch& stopwatch, const SamplingPlan& plan);

}  // namespace gpulab::measure
