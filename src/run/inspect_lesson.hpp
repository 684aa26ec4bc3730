#pragma once

#include "core/inspection.hpp"
#include "device/device.hpp"
#include "run/kernel_files.hpp"
#include "run/run_options.hpp"

namespace gpulab::run {

// Runs the chosen variants on the simulator, each access of their kernels counted, at the settings that were
// asked for or at smaller ones that stay quick. What a variant does wrong is part of the result. Throws
// UsageError for options that make no sense.
Inspection inspect_lesson(const Lesson& lesson, const RunOptions& options, const KernelFiles& files,
                          device::Device& simulator);

// The lesson's solution with a learner's file in its place. It is watched once before it is counted: a
// defect, such as a race, makes it wrong whatever its result.
Inspection inspect_replaced(const Lesson& lesson, RunOptions options, const device::KernelSource& learners,
                            device::Device& simulator);

}  // namespace gpulab::run
