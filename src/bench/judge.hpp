#pragma once

#include "core/comparison.hpp"

namespace gpulab::bench {

// What a figure that is measured at a clock can differ by and still be the same, in seconds. Below it, a
// difference is one of the clock.
double min_difference_s(const std::string& figure);

// How one figure changed, by the rules. The case and the figure's name are of `now`.
Change judged(const BenchCase& what, const BenchFigure& before, const BenchFigure& now,
              const ComparisonRules& rules);

}  // namespace gpulab::bench
