#pragma once

#include "core/inspection.hpp"
#include "core/lesson.hpp"
#include "device/device.hpp"
#include "run/run_options.hpp"

namespace gpulab::learn {

// What a learner's kernel, in place of the lesson's solution, asks of memory. It runs in a confined process.
// Throws UsageError for options that the lesson cannot take, and Error when the kernel takes too long, or
// ends its process.
Inspection inspect_file(const Lesson& lesson, const run::RunOptions& options,
                        const device::KernelSource& learners);

}  // namespace gpulab::learn
