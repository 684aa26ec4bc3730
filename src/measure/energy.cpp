#include "measure/energy.hpp"

#include <vector>

namespace gpulab::measure {
namespace {

constexpr double shortest_s = 0.5;
constexpr double longest_wait_s = 1;

struct Reading {
  double joules = 0;
  double at_s = 0;
  std::size_t samples = 0;  // that were taken until then
};

class EnergyMeter {
 public:
  EnergyMeter(Stopwatch& stopwatch, const EnergyCounter& counter)
      : stopwatch_(stopwatch), counter_(counter) {}

  // Goes on until the counter moves, at the given moment or after it.
  std::optional<Reading> next(double not_before_s) {
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
  const std::optional<Reading> begin = meter.next(stopwatch.now_s());
  if (!begin) return std::nullopt;
  const std::optional<Reading> end = meter.next(begin->at_s + shortest_s);
  if (!end) return std::nullopt;
  const double joules = end->joules - begin->joules, seconds = end->at_s - begin->at_s;
  const auto runs = static_cast<double>((end->samples - begin->samples) * runs_in_a_sample);
  return Energy{.joules_per_run = joules / runs, .watts = joules / seconds, .seconds = seconds};
}

}  // namespace gpulab::measure
