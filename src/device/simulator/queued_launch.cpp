#include "device/simulator/queued_launch.hpp"

#include <cstring>

namespace gpulab {

std::shared_ptr<QueuedLaunch> queued_launch(const SimulatedKernel& kernel, const LaunchConfig& config,
                                            void* const* arguments) {
  auto queued = std::make_shared<QueuedLaunch>();
  const std::size_t count = kernel.argument_sizes.size();
  queued->values.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(&queued->values[i], arguments[i], kernel.argument_sizes[i]);
    queued->arguments.push_back(&queued->values[i]);
  }
  queued->sizes = kernel.argument_sizes;
  queued->variables = kernel.variables;
  queued->launch = {kernel.call, kernel.function, queued->arguments.data(), &queued->sizes,
                    config,      kernel.shared,   kernel.schedule};
  queued->launch.shared.dynamic_bytes = config.dynamic_shared_bytes;
  return queued;
}

}  // namespace gpulab
