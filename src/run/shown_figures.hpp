#pragma once

#include <vector>

#include "core/findings.hpp"
#include "core/lesson.hpp"
#include "core/result.hpp"
#include "run/variant_execution.hpp"

// The figures that a lesson can show of its variants, besides their times.

namespace gpulab::run {

// Registers, local memory and spills per thread, of the variant's kernel. Without a GPU they are those of an
// architecture that NVRTC can compile for; none where there is no NVRTC either.
std::vector<Figure> register_figures(const RunContext& context, const Variant& variant,
                                     VariantExecution& execution);

// GB/s in either direction, over the time that copies in that direction took together.
std::vector<Figure> copy_rate_figures(const Timeline& timeline);

// The same as percents of what the link does with large copies from and to page-locked memory, as measured.
std::vector<Figure> link_figures(const std::vector<Figure>& copy_rates, const TransferResult& link);

// What a warp's accesses to memory come to, on the simulator: means over the requests of one run. Throws what
// running the variant throws.
std::vector<Figure> access_figures(const RunContext& context, const Variant& variant, unsigned block_size,
                                   const std::vector<AccessMetric>& metrics);

}  // namespace gpulab::run
