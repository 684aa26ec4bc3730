#include "core/device_properties.hpp"

namespace gpulab {

std::string DeviceProperties::compute_capability() const {
  if (compute_capability_major == 0) return {};
  return std::to_string(compute_capability_major) + "." + std::to_string(compute_capability_minor);
}

std::string DeviceProperties::architecture() const {
  if (compute_capability_major == 0) return {};
  return "sm_" + std::to_string(compute_capability_major) + std::to_string(compute_capability_minor);
}

}  // namespace gpulab
