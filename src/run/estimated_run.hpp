#pragma once

#include "estimate/gpu.hpp"
#include "lesson/estimate.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"
#include "run/problems.hpp"
#include "run/run_options.hpp"

namespace gpulab::run {

// Predicts the time of a variant on a GPU. Runs it once more on the simulator, which counts the accesses of a
// sample of its blocks. Expects that the variant has just been run, with so many launches, and that the
// arrays still hold what it left there. If nothing can be predicted, the estimate says why.
Estimate predicted(const RunContext& context, const Variant& variant, unsigned block_size,
                   std::size_t launches, const estimate::Gpu& gpu);

// Runs and predicts the chosen variants, at the requested size and without references. If `learners` is
// given, it takes the place of the file of the lesson's solution, and only the solution is run.
LessonResult predicted_lesson(const Lesson& lesson, RunOptions options, const device::KernelSource* learners,
                              device::Device& simulator);

}  // namespace gpulab::run
