#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cuda/driver_api.hpp"
#include "device/host.hpp"

namespace gpulab::cuda {

// What the driver says of one GPU: the same figures as deviceQuery. A figure it does not tell is 0.
DeviceProperties read_cuda_properties(const CudaContext& context, int index);

// Bytes per second of memory that transfers twice per clock, or 0 when the driver does not tell both figures.
double theoretical_peak(double memory_clock_hz, int memory_bus_bits);

// How many float32 multiply-adds a multiprocessor finishes in each clock, from compute capability 7.0 on:
// CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions".
int float_lanes(int compute_capability_major, int compute_capability_minor);

// The newest CUDA version that the installed driver supports, as nvidia-smi prints it: "13.0". Empty when
// libcuda does not tell. Like the next function it throws DeviceError when there is no libcuda.
std::string supported_cuda_version();

// The version of the driver itself, as nvidia-smi prints it: "580.95.05". Where the kernel does not tell (in
// WSL, in some containers), the CUDA version that it supports: "CUDA 13.0".
std::string installed_driver_version();

// nvml.h's nvmlPciInfo_t.
struct NvmlPciInfo {
  char legacy_bus_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];  // "00000000:0A:00.0"
};

// NVML, the library behind nvidia-smi, opened at run time: it tells what clock a GPU runs at just now, what
// energy it has used, and how it is linked to others.
class Nvml {
 public:
  // Throws std::runtime_error where it is not installed or does not start.
  Nvml();

  // Of the multiprocessors, in Hz. The bus id is cuDeviceGetPCIBusId's: "0000:0A:00.0".
  std::optional<double> clock_hz(const std::string& pci_bus_id) const;
  // Since the driver was loaded, in J. GPUs have it since Volta.
  std::optional<double> energy_j(const std::string& pci_bus_id) const;
  // How many NVLinks lead from one GPU to the other, or from each to the switches between them; 0 where the
  // two cannot use them.
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

// None where there is no NVML.
const Nvml* nvml();

// Each GPU of this machine with each other one, unmeasured; empty without a driver. Never throws.
std::vector<DeviceLink> cuda_links();

}  // namespace gpulab::cuda
