#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"

namespace gpulab::run {

// Returns seconds since a fixed moment, from a monotonic clock.
inline double steady_now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Measures how long some work takes. Sampling accesses time only through this interface.
class Stopwatch {
 public:
  virtual ~Stopwatch() = default;

  // Runs the work `count` times and appends each duration in seconds.
  virtual void take(std::size_t count, std::vector<double>& samples_s) = 0;

  // Returns wall-clock seconds since any fixed moment. A sample takes longer than the time it measures.
  virtual double now_s() { return steady_now_s(); }

  // Returns the multiprocessor clock of the last samples, in Hz; none if unknown.
  virtual std::optional<double> clock_hz() { return std::nullopt; }
};

// Times work on the CPU with a monotonic clock.
class HostStopwatch : public Stopwatch {
 public:
  explicit HostStopwatch(std::function<void()> work) : work_(std::move(work)) {}

  void take(std::size_t count, std::vector<double>& samples_s) override;

 private:
  std::function<void()> work_;
};

// Computes the median and its interval, and keeps the samples in order.
Timing summarise(std::vector<double> samples_s, StopReason stop);

struct SamplingPlan {
  double time_budget_s = 1;  // wall-clock time, after the warm-up
  double warm_up_s = 0.1;    // wall-clock time; 0 for none
  double target_relative_half_width = 0.01;
  std::size_t first_batch = 1;  // samples to take while their duration is unknown
  std::size_t max_samples = 1000;
};

// Warms up, then takes samples until the confidence interval of the median is narrow enough, the time is
// spent, or there are enough samples. Checks the interval only when the count has doubled, because checking
// after every sample would stop at the first lucky one. Takes at least one sample.
Timing sample(Stopwatch& stopwatch, const SamplingPlan& plan);

// Returns joules since some fixed moment; none if not counted.
using EnergyCounter = std::function<std::optional<double>()>;

// Runs the work repeatedly and divides the energy used by the number of runs. A GPU's counter moves about
// ten times a second, so the measurement starts and ends when it moves, at least half a second apart. None if
// the counter does not move for a second. A sample of the stopwatch must be much shorter than a second.
std::optional<Energy> measure_energy(Stopwatch& stopwatch, std::size_t runs_in_a_sample,
                                     const EnergyCounter& counter);

// Returns limitations of a kernel's time on a GPU, each in one sentence with advice. Drops no samples.
std::vector<std::string> timing_warnings(const Timing& timing);

// Returns one sentence if the traffic in that time exceeds the theoretical peak of the memory; none if the
// peak is unknown (0).
std::optional<std::string> peak_warning(const Timing& timing, const Traffic& traffic,
                                        double peak_bytes_per_s);

}  // namespace gpulab::run
