#pragma once

#include <optional>
#include <string>

#include "device/dynamic_library.hpp"

namespace gpulab {

// NVML, the library behind nvidia-smi, opened at run time: it tells what clock a GPU runs at just now.
class Nvml {
 public:
  // Throws std::runtime_error where it is not installed or does not start.
  Nvml();

  // Of the multiprocessors, in Hz. The bus id is cuDeviceGetPCIBusId's: "0000:0A:00.0".
  std::optional<double> clock_hz(const std::string& pci_bus_id) const;

 private:
  DynamicLibrary library_;
  int (*device_by_bus_)(const char*, void**) = nullptr;
  int (*clock_)(void*, int, unsigned*) = nullptr;
};

// None where there is no NVML.
const Nvml* nvml();

}  // namespace gpulab
