#pragma once

#include <string>

#include "device/cuda/cuda_context.hpp"

namespace gpulab {

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

}  // namespace gpulab
