#pragma once

#include <string>
#include <vector>

#include "core/bench_result.hpp"
#include "report/layout.hpp"

namespace gpulab::report {

// A plot over size for each lesson and its options, which fits a terminal of 24 lines: the rate where the
// problem has one, the time otherwise, sectors on the simulator. A sentence for what has one size only.
std::string bench_plot(const BenchResult& result, const TextStyle& style);

}  // namespace gpulab::report
