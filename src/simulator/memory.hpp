#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "device/device.hpp"
#include "simulator/count/access_recorder.hpp"

namespace gpulab::simulator {

// The global memory of the simulated device.
class SimulatedMemory {
 public:
  SimulatedMemory() = default;
  ~SimulatedMemory();
  SimulatedMemory(const SimulatedMemory&) = delete;
  SimulatedMemory& operator=(const SimulatedMemory&) = delete;

  // Throws DeviceError.
  count::AddressRange allocate(std::size_t bytes);
  void free(device::DevicePointer pointer) noexcept;

  std::vector<count::AddressRange> allocations() const;

 private:
  std::map<device::DevicePointer, std::size_t> allocations_;
};

}  // namespace gpulab::simulator
