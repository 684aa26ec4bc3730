#include "device/cuda/nvml.hpp"

#include <memory>
#include <stdexcept>

namespace gpulab {
namespace {

// nvml.h's values. Its header does not come with every toolkit, and these do not change.
constexpr int nvml_success = 0;
constexpr int nvml_clock_sm = 1;

}  // namespace

Nvml::Nvml() : library_({"libnvidia-ml.so.1"}) {
  int (*start)() = nullptr;
  library_.find(start, "nvmlInit_v2");
  library_.find(device_by_bus_, "nvmlDeviceGetHandleByPciBusId_v2");
  library_.find(clock_, "nvmlDeviceGetClockInfo");
  if (start() != nvml_success) throw std::runtime_error("nvmlInit_v2 failed");
}

std::optional<double> Nvml::clock_hz(const std::string& pci_bus_id) const {
  void* device = nullptr;
  unsigned megahertz = 0;
  if (device_by_bus_(pci_bus_id.c_str(), &device) != nvml_success) return std::nullopt;
  if (clock_(device, nvml_clock_sm, &megahertz) != nvml_success) return std::nullopt;
  return megahertz * 1e6;
}

const Nvml* nvml() {
  static const std::unique_ptr<const Nvml> only = []() -> std::unique_ptr<const Nvml> {
    try {
      return std::make_unique<const Nvml>();
    } catch (const std::runtime_error&) {
      return nullptr;
    }
  }();
  return only.get();
}

}  // namespace gpulab
