#pragma once

#include "core/check_result.hpp"
#include "core/lesson.hpp"
#include "device/device.hpp"

namespace gpulab {

// Runs a learner's kernel in place of the lesson's solution, watched, at all settings that it is checked with
// and in three orders of its threads, until it does something wrong. Fills in everything that depends on a
// run.
void check_on_simulator(const Lesson& lesson, const KernelSource& source, Device& simulator,
                        CheckResult& result);

}  // namespace gpulab
