#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "device/device.hpp"
#include "device/simulator/count/memory_access.hpp"

namespace gpulab {

// The global memory of the simulated device.
class SimulatedMemory {
 public:
  SimulatedMemory() = default;
  ~SimulatedMemory();
  SimulatedMemory(const SimulatedMemory&) = delete;
  SimulatedMemory& operator=(const SimulatedMemory&) = delete;

  // Throws DeviceError.
  AddressRange allocate(std::size_t bytes);
  void free(DevicePointer pointer) noexcept;

  std::vector<AddressRange> allocations() const;

 private:
  std::map<DevicePointer, std::size_t> allocations_;
};

}  // namespace gpulab
