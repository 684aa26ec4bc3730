#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "device/compile_cache.hpp"
#include "device/device.hpp"

namespace gpulab::simulator {

// Opens the simulated device, which runs CUDA C++ on the CPU. Throws DeviceError when there is no
// C++ compiler to compile kernels with. The cache must outlive the device.
std::unique_ptr<device::Device> open_simulator(device::CompileCache& cache, WarpSize warp_size = {});

// A function that makes a module from a kernel file.
using ModuleMaker = std::function<std::unique_ptr<device::Module>(const device::KernelSource& source,
                                                                  device::Instrumentation instrumentation)>;

// Opens the simulated device with modules from `maker`, without a compiler of its own.
std::unique_ptr<device::Device> open_simulator(ModuleMaker maker, WarpSize warp_size = {});

// Returns the simulator's properties; needs no compiler.
DeviceProperties simulator_properties(WarpSize warp_size = {});

// Connects ranks on simulated devices of one process; a rank is an index in the list. Sums are made in the
// order of the ranks, so all ranks get the same. Bytes are counted as if data went around a ring. A mismatch
// throws DeviceError at once: a rank without a buffer, or a message without its other end.
//
// Each device must be a peer of the first one (Device::open_peer), and all must outlive the communicator.
std::unique_ptr<device::Communicator> connect(std::vector<device::Device*> devices);

}  // namespace gpulab::simulator
