#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/lesson.hpp"
#include "core/limits_result.hpp"
#include "device/device.hpp"

namespace gpulab::run {

// What of the limits is to be measured, and how.
struct LimitsOptions {
  std::uint64_t seed = 42;
  double time_budget_s = 0.5;  // for each thing that is timed
  std::function<void(const std::string& what)> progress = [](const std::string&) {};
};

// Measures the rungs at the limit of these lessons, their yardsticks and the ceilings of a GPU. Throws
// DeviceError.
LimitsResult measure_limits(const std::vector<Lesson>& lessons, const LimitsOptions& options,
                            device::Device& device);

// Measures how fast kernels run on the simulator, on one core and on all, beside the same kernels in OpenCL
// where the machine has it for its CPU. Throws DeviceError.
LimitsResult measure_simulation(const std::vector<Lesson>& lessons, const LimitsOptions& options,
                                const std::function<std::unique_ptr<device::Device>()>& open_simulator);

}  // namespace gpulab::run
