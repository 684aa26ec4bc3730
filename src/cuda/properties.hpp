#pragma once

#include <optional>
#include <string>

#include "cuda/stream.hpp"
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

// NVML, the library behind nvidia-smi, opened at run time: it tells what clock a GPU runs at just now, and
// what energy it has used.
class Nvml {
 public:
  // Throws std::runtime_error where it is not installed or does not start.
  Nvml();

  // Of the multiprocessors, in Hz. The bus id is cuDeviceGetPCIBusId's: "0000:0A:00.0".
  std::optional<double> clock_hz(const std::string& pci_bus_id) const;
  // Since the driver was loaded, in J. GPUs have it since Volta.
  std::optional<double> energy_j(const std::string& pci_bus_id) const;

 private:
  device::DynamicLibrary library_;
  int (*device_by_bus_)(const char*, void**) = nullptr;
  int (*clock_)(void*, int, unsigned*) = nullptr;
  int (*energy_)(void*, unsigned long long*) = nullptr;
};

// None where there is no NVML.
const Nvml* nvml();

}  // namespace gpulab::cuda
