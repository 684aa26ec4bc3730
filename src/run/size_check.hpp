#pragma once

#include "core/lesson.hpp"
#include "device/device.hpp"

namespace gpulab::run {

// Refuses, in one sentence, a size for which this machine or this device has not the memory, before any of it
// is taken. The simulated device's memory is the host's.
void check_size(const Lesson& lesson, const Problem& problem, const Settings& settings,
                const DeviceProperties& device);

}  // namespace gpulab::run
