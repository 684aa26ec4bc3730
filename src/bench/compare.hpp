#pragma once

#include <vector>

#include "core/comparison.hpp"

namespace gpulab::bench {

// Compares what was measured now with what was measured before. Several documents on a side are more
// processes of the same. Throws UsageError for what no comparison can be made of: other GPUs, a GPU and the
// simulator, nothing in common, nothing timed or counted.
Comparison compared(const std::vector<BenchResult>& before, const std::vector<BenchResult>& now,
                    const ComparisonRules& rules = {});

}  // namespace gpulab::bench
