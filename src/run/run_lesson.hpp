#pragma once

#include "core/lesson.hpp"
#include "core/result.hpp"
#include "device/device.hpp"
#include "run/run_options.hpp"

namespace gpulab::run {

// Runs a lesson on a device: inputs, references, every chosen variant, validation, times, claims. What a
// variant does wrong is part of the result. Throws UsageError for options that make no sense.
LessonResult run_lesson(const Lesson& lesson, const RunOptions& options, device::Device& device);

// The same of a problem that has been made already, with the options' settings: making it may read files.
LessonResult run_lesson(const Lesson& lesson, const RunOptions& options, Problem problem,
                        device::Device& device);

}  // namespace gpulab::run
