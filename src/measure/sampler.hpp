#pragma once

#include <cstddef>

#include "core/result.hpp"
#include "measure/stopwatch.hpp"

namespace gpulab {

struct SamplingPlan {
  double time_budget_s = 1;  // of wall time, after the warm-up
  double warm_up_s = 0.1;    // of wall time; 0 for none
  double target_relative_half_width = 0.01;
  std::size_t first_batch = 1;  // how many to take while nothing is known of the time they need
  std::size_t most_samples = 1000;
};

// Warms up, then takes samples until the confidence interval of the median is as narrow as the target, the
// time is spent, or there are enough. The interval is looked at when the count has doubled only, because a
// look at every sample would stop at the first lucky one. At least one sample is taken, whatever it costs.
Timing sample(Stopwatch& stopwatch, const SamplingPlan& plan);

}  // namespace gpulab
