#pragma once

#include <filesystem>

#include "device/device.hpp"

namespace gpulab {

// A kernel file that a learner has written. Throws UsageError when it cannot be read, or cannot be one: it is
// larger than 1 MiB, or has bytes that are no text.
KernelSource learners_file(const std::filesystem::path& path);

// A learner waits for the answer: from now on the simulator stops a kernel after seconds instead of a minute,
// unless the user has set another limit.
void limit_time_of_learners_kernels();

}  // namespace gpulab
