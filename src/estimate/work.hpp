#pragma once

#include <optional>

#include "estimate/ptx.hpp"
#include "lesson/access_counts.hpp"
#include "lesson/estimate.hpp"

namespace gpulab::estimate {

inline constexpr double lanes_of_warp = 32;

// Returns the work of a launch whose accesses were counted for a sample of its blocks. `resident_blocks` is
// the number of blocks that the GPU holds at once. Without PTX, guesses the instructions from the
// accesses.
KernelWork work_of(const AccessCounts& counts, const LaunchConfig& config, double resident_blocks,
                   const std::optional<PtxKernel>& ptx);

}  // namespace gpulab::estimate
