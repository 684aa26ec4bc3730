#include "core/variant.hpp"

#include <tuple>

#include "core/number_text.hpp"

namespace gpulab {

bool GpuNeed::is_met_by(const DeviceProperties& device) const {
  if (device.simulated()) return false;
  const auto has = std::tuple(device.compute_capability_major, device.compute_capability_minor);
  const auto asked = std::tuple(major, minor);
  return (only_there ? has == asked : has >= asked) && device.shared_bytes_per_block_optin >= shared_bytes;
}

std::string GpuNeed::text() const {
  const std::string shared =
      shared_bytes == 0 ? "" : " with " + grouped(shared_bytes) + " bytes of shared memory for a block";
  return "a GPU of compute capability " + std::to_string(major) + "." + std::to_string(minor) +
         (only_there ? "" : " or later") + shared;
}

}  // namespace gpulab
