#pragma once

#include <string>
#include <vector>

#include "core/bench_figures.hpp"

// Whether two sides of a comparison were measured alike.

namespace gpulab::bench {

// Throws UsageError, which says what differs, unless all were measured on one kind of device.
void refuse_other_devices(const std::vector<BenchResult>& before, const std::vector<BenchResult>& now);

// Throws UsageError, which says what differs, where no case is in both.
void refuse_nothing_in_common(const std::vector<CaseFigures>& before, const std::vector<CaseFigures>& now);

// What may matter and does not prevent a comparison: other drivers or hosts, documents that are incomplete.
std::vector<std::string> remarks_on(const std::vector<BenchResult>& before,
                                    const std::vector<BenchResult>& now);

}  // namespace gpulab::bench
