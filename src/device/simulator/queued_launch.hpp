#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/simulator/compile/simulated_module.hpp"
#include "device/simulator/schedule/simulated_launch.hpp"

namespace gpulab {

// What a launch needs after the call that asked for it has returned: its own copy of the arguments.
struct QueuedLaunch {
  SimulatedLaunch launch;
  std::vector<ModuleVariable> variables;  // of its module
  std::vector<std::uint64_t> values;
  std::vector<std::size_t> sizes;
  std::vector<void*> arguments;
};

std::shared_ptr<QueuedLaunch> queued_launch(const SimulatedKernel& kernel, const LaunchConfig& config,
                                            void* const* arguments);

}  // namespace gpulab
