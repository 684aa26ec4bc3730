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

// Joules since some fixed moment; none where nobody counts them.
using EnergyCounter = std::function<std::optional<double>()>;

// Does the thing again and again, and divides the energy that was used by the number of runs. A GPU's counter
// moves about ten times a second, so both ends are moments at which it moved, at least half a second apart.
// None where the counter does not move for a second. A sample of the stopwatch must be much shorter than
// that.
std::optional<Energy> measure_energy(Stopwatch& stopwatch, std::size_t runs_in_a_sample,
                                     const EnergyCounter& counter);

// What limits the use of a kernel's time on a GPU, each in one sentence with advice. Nothing is dropped
// because of it.
std::vector<std::string> timing_warnings(const Timing& timing);

// One sentence where the traffic in that time is more than the theoretical peak of the memory allows; none
// where the device does not tell its peak (0).
std::optional<std::string> peak_warning(const Timing& timing, const Traffic& traffic,
                                        double peak_bytes_per_s);

}  // namespace gpulab::run
