#pragma once

#include <memory>
#include <vector>

#include "measure/sampling.hpp"
#include "run/ranks/ranked_execution.hpp"

namespace gpulab::run::ranks {

// Samples of all ranks together, cold: each is the time of the slowest rank, from the moment at which all
// were ready. The caches are evicted several times, which takes a GPU longer than the host needs to hand all
// ranks their work.
class RanksStopwatch : public measure::Stopwatch {
 public:
  RanksStopwatch(const Ranks& ranks, RankedExecution& execution);

  void take(std::size_t count, std::vector<double>& samples_s) override;
  // The same in every process, so that all take as many samples.
  double now_s() override;

  // Of the k-th rank of this process, in seconds.
  double median_of(int k) const;

 private:
  double take_one();
  std::vector<double> slowest_of_processes(std::vector<double> samples) const;

  const Ranks& ranks_;
  RankedExecution& execution_;
  std::vector<std::unique_ptr<device::Event>> starts_, stops_;
  std::vector<std::vector<double>> of_ranks_;
};

}  // namespace gpulab::run::ranks
