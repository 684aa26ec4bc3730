#include "run/ranks/ranks_stopwatch.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "core/median.hpp"

namespace gpulab::run::ranks {

RanksStopwatch::RanksStopwatch(const Ranks& ranks, RankedExecution& execution)
    : ranks_(ranks), execution_(execution) {
  for (int k = 0; k < ranks.here(); ++k) {
    starts_.push_back(ranks.device(k).create_event());
    stops_.push_back(ranks.device(k).create_event());
  }
  of_ranks_.resize(starts_.size());
}

void RanksStopwatch::take(std::size_t count, std::vector<double>& samples_s) {
  std::vector<double> taken;
  for (std::size_t i = 0; i < count; ++i) taken.push_back(take_one());
  std::ranges::copy(slowest_of_processes(taken), std::back_inserter(samples_s));
}

double RanksStopwatch::now_s() {
  const std::string now = std::to_string(measure::steady_now_s());
  return std::stod(ranks_.gather(now, "taking the time").front());
}

double RanksStopwatch::median_of(int k) const {
  return median(of_ranks_[static_cast<std::size_t>(k)]);
}

double RanksStopwatch::take_one() {
  constexpr int evictions = 4;
  execution_.run(
      [&](int k) {
        execution_.of(k).before();
        for (int i = 0; i < evictions; ++i) ranks_.device(k).evict_caches(ranks_.stream(k));
        execution_.line_up(k);
        ranks_.device(k).record(*starts_[static_cast<std::size_t>(k)], ranks_.stream(k));
      },
      [&](int k) { ranks_.device(k).record(*stops_[static_cast<std::size_t>(k)], ranks_.stream(k)); });
  execution_.synchronize();
  double slowest = 0;
  for (std::size_t k = 0; k < starts_.size(); ++k) {
    const double seconds = ranks_.device(static_cast<int>(k)).elapsed(*starts_[k], *stops_[k]);
    of_ranks_[k].push_back(seconds);
    slowest = std::max(slowest, seconds);
  }
  return slowest;
}

std::vector<double> RanksStopwatch::slowest_of_processes(std::vector<double> samples) const {
  std::ostringstream mine;
  mine.precision(17);
  for (const double sample : samples) mine << sample << ' ';
  for (const std::string& of_process : ranks_.gather(mine.str(), "taking the time")) {
    std::istringstream words(of_process);
    for (double& sample : samples) {
      double other = 0;
      words >> other;
      sample = std::max(sample, other);
    }
  }
  return samples;
}

}  // namespace gpulab::run::ranks
