#include "core/variant.hpp"

#include <tuple>

namespace gpulab {

bool GpuNeed::is_met_by(const DeviceProperties& device) const {
  if (device.simulated()) return false;
  const auto has = std::tuple(device.compute_capability_major, device.compute_capability_minor);
  const auto asked = std::tuple(major, minor);
  return only_there ? has == asked : has >= asked;
}

std::string GpuNeed::text() const {
  return "a GPU of compute capability " + std::to_string(major) + "." + std::to_string(minor) +
         (only_there ? "" : " or later");
}

}  // namespace gpulab
