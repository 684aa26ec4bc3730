#pragma once

#include "estimate/gpu.hpp"
#include "lesson/estimate.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"
#include "run/problems.hpp"
#include "run/run_options.hpp"

namespace gpulab::run {

// Predicts the time of a variant on a GPU. Runs it once more on the simulator, which counts the accesses of a
// sample of its blocks. The arrays should hold what a run of the variant leaves there, which had so many
// launches. The estimate says why if nothing can be predicted.
Estimate predicted(const RunContext& context, const Variant& variant, unsigned block_size,
                   std::size_t launches, const estimate::Gpu& gpu);

// Runs and predicts the chosen variants, at the requested size and without references. Takes `learners`, if
// any, for the file of the lesson's solution, and then that variant alone.
LessonResult predicted_lesson(const Lesson& lesson, RunOptions options, const device::KernelSource* learners,
                              device::Device& simulator);

}  // namespace gpulab::run
