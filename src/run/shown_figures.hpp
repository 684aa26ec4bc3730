#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lesson/finding.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"
#include "run/problems.hpp"
#include "run/variant_execution.hpp"

namespace gpulab::run {

// The figures that a lesson can show of its variants, besides their times.

// Registers, local memory and spills per thread, of the variant's kernel. Without a GPU they are those of an
// architecture that NVRTC can compile for; none where there is no NVRTC either.
std::vector<Figure> register_figures(const RunContext& context, const Variant& variant,
                                     VariantExecution& execution);

// GB/s in either direction, over the time that copies in that direction took together.
std::vector<Figure> copy_rate_figures(const Timeline& timeline);

// The same as percents of what the link does with large copies from and to page-locked memory, as measured.
std::vector<Figure> link_figures(const std::vector<Figure>& copy_rates, const TransferResult& link);

// Runs once, on the simulator, what was compiled so that its accesses are counted. The counts are exact, and
// the same on every machine. Throws what running it throws.
AccessCounts count_accesses(const RunContext& context, VariantExecution& execution);

// What a warp's accesses to memory come to: means over the requests of a run.
std::vector<Figure> access_figures(const AccessCounts& counts, const std::vector<AccessMetric>& metrics);

// The sums by name: "global_load_sectors", "shared_store_wavefronts", ...
std::map<std::string, std::uint64_t> named_counts(const AccessCounts& counts);

}  // namespace gpulab::run
