#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "device/compile_cache.hpp"
#include "device/device.hpp"

namespace gpulab::simulator {

// The simulated device: the same CUDA C++ on the CPU. Throws DeviceError when there is no C++ compiler to
// compile kernels with. The cache must outlive it.
std::unique_ptr<device::Device> open_simulator(device::CompileCache& cache);

// Several of them, as Device::open_peer opens them: they can reach each other's memory. They share what a
// process has once: an address is valid for all of them, and their instruments are the same. Calls must not
// overlap in time.
std::vector<std::unique_ptr<device::Device>> open_simulators(int count, device::CompileCache& cache);

// What makes modules of kernel files.
using ModuleMaker = std::function<std::unique_ptr<device::Module>(const device::KernelSource& source,
                                                                  device::Instrumentation instrumentation)>;

// The same device without a compiler of its own.
std::unique_ptr<device::Device> open_simulator(ModuleMaker maker);

// What the simulator tells of itself; needs no compiler.
DeviceProperties simulator_properties();

// Ranks on simulated devices of one process; a rank is a place in the list. Sums are made in the order of the
// ranks, and so are the same on each of them. Bytes count as if data went around a ring. What does not fit
// together throws DeviceError at once: a buffer of a rank is missing, or a message has no other end.
//
// The devices, which open_simulators() has opened together, outlive it.
std::unique_ptr<device::Communicator> connect(std::vector<device::Device*> devices);

}  // namespace gpulab::simulator
