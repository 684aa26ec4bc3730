#pragma once

#include <vector>

#include "core/lesson.hpp"
#include "core/result.hpp"
#include "device/device.hpp"
#include "exercise/child_process.hpp"

namespace gpulab {

// Where there is a GPU: the learner's kernel in place of the lesson's solution, then the lesson's own
// variants that are right, each checked and timed, in a process of their own. Empty without a GPU. Throws
// WorkStopped.
std::vector<VariantResult> time_on_gpu(const Lesson& lesson, const KernelSource& source, double time_limit_s,
                                       const StopRequest& stop);

}  // namespace gpulab
