#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cuda/driver_api.hpp"
#include "device/host.hpp"

namespace gpulab::cuda {

// Returns what the driver reports of one GPU, as deviceQuery does; 0 for a value that it does not report.
DeviceProperties read_properties(const CudaContext& context, int index);

// Returns an AMD GPU's architecture as hipRTC wants it: "gfx90a:sramecc+:xnack-". Throws DeviceError if HIP
// does not report it.
std::string amd_architecture(const DriverApi& driver, int index);

// Returns the bytes per second of memory that transfers twice per clock; 0 if either is unknown.
double theoretical_peak(double memory_clock_hz, int memory_bus_bits);

// Returns how many float32 multiply-adds a multiprocessor finishes in each clock, from compute capability 7.0
// on: CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions".
int float_lanes(int compute_capability_major, int compute_capability_minor);

// Returns the newest CUDA version that the driver supports, as nvidia-smi prints it: "13.0"; HIP's own
// version: "5.2". Empty if the driver does not report it.
std::string supported_version(const DriverApi& driver);

// Returns the version of the driver itself, as nvidia-smi prints it: "580.95.05". If the kernel does not
// report it (in WSL, in some containers), the CUDA version that it supports: "CUDA 13.0". Throws DeviceError
// if there is no libcuda.
std::string installed_driver_version();

// nvml.h's nvmlPciInfo_t.
struct NvmlPciInfo {
  char legacy_bus_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];  // "00000000:0A:00.0"
};

// NVML, the library behind nvidia-smi, opened at run time: it reports a GPU's current clock, the energy that
// it has used, and its links to others.
class Nvml {
 public:
  // Throws std::runtime_error if it is not installed or does not start.
  Nvml();

  // Returns the clock of the multiprocessors in Hz. The bus id is cuDeviceGetPCIBusId's: "0000:0A:00.0".
  std::optional<double> clock_hz(const std::string& pci_bus_id) const;
  // Returns the energy used since the driver was loaded, in J. GPUs report it since Volta.
  std::optional<double> energy_j(const std::string& pci_bus_id) const;
  // Returns how many NVLinks lead from one GPU to the other, or from each to the switches between them; 0 if
  // the two cannot use them.
  int nvlinks(const std::string& from, const std::string& to) const;

 private:
  device::DynamicLibrary library_;
  int (*device_by_bus_)(const char*, void**) = nullptr;
  int (*clock_)(void*, int, unsigned*) = nullptr;
  int (*energy_)(void*, unsigned long long*) = nullptr;
  int (*peer_status_)(void*, void*, int, int*) = nullptr;
  int (*link_state_)(void*, unsigned, int*) = nullptr;
  int (*link_end_)(void*, unsigned, NvmlPciInfo*) = nullptr;
};

// Returns null without NVML.
const Nvml* nvml();

// Returns the links from each GPU to each other one, unmeasured; empty without a driver. Never throws.
std::vector<DeviceLink> cuda_links();

}  // namespace gpulab::cuda
