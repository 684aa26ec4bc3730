#pragma once

#include "estimate/gpu.hpp"
#include "lesson/estimate.hpp"
#include "lesson/lesson.hpp"
#include "run/problems.hpp"

namespace gpulab::run {

// Predicts the time of a variant on a GPU. Runs it once more on the simulator, which counts the accesses of a
// sample of its blocks. The arrays should hold what a run of the variant leaves there, which had so many
// launches. The estimate says why if nothing can be predicted.
Estimate predicted(const RunContext& context, const Variant& variant, unsigned block_size,
                   std::size_t launches, const estimate::Gpu& gpu);

}  // namespace gpulab::run
