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

// Predicts the chosen variants that are always right, at the requested size. If `learners` is given, it takes
// the place of the file of the lesson's solution, and only that is predicted, if it is right at a small size.
LessonResult predicted_lesson(const Lesson& lesson, RunOptions options, const device::KernelSource* learners,
                              device::Device& simulator);

// Predicts a learner's kernel, which has been found right, and the lesson's solution at the default size.
PredictedTimes predicted_beside_solution(const Lesson& lesson, const device::KernelSource& learners,
                                         const estimate::Gpu& gpu, device::Device& simulator);

}  // namespace gpulab::run
