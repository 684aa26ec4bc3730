#pragma once

#include <string>
#include <vector>

#include "core/arguments.hpp"
#include "core/launch.hpp"
#include "device/device.hpp"
#include "simulator/count/access_recorder.hpp"
#include "simulator/count/peer_accesses.hpp"
#include "simulator/schedule/shared_memory.hpp"

namespace gpulab::simulator {
class DeviceHeap;
}

namespace gpulab::simulator::check {
class LaunchWatch;
}

namespace gpulab::simulator::schedule {

// A __device__ or __constant__ variable of a kernel file.
struct ModuleVariable {
  std::string name;
  count::AddressRange range;
  bool is_constant = false;
  bool is_managed = false;  // the host's as well
};

// Everything that a worker needs to run one block of a launch.
struct SimulatedLaunch {
  HostCall call = nullptr;
  void* function = nullptr;
  void* const* arguments = nullptr;
  const std::vector<std::size_t>* argument_sizes = nullptr;
  LaunchConfig config;
  SharedMemory shared;
  device::Instrumentation instrumentation = device::Instrumentation::none;
  std::vector<count::AddressRange> global_memory = {};  // where the accesses to it are counted
  // All memory, where several devices are simulated, and which of them this launch runs on.
  std::vector<count::OwnedMemory> devices_memory = {};
  int device = 0;
  device::ThreadOrder order = {};
  check::LaunchWatch* watch = nullptr;  // where it is checked
  DeviceHeap* heap = nullptr;           // for malloc in kernels
  bool compares_and_swaps = false;      // the kernel's file has an atomicCAS
  // One block after another, so that what is found depends on no timing. A block that waits for another
  // gives way to it.
  bool in_order = false;
  // Runs all threads of a block by turns, with the arguments, where the kernel's object has such a loop.
  void (*loop)(void* const* arguments) = nullptr;
};

// What the threads of one block printed, one after another.
struct BlockOutput {
  std::size_t block = 0;  // its number in the grid
  std::string text;
};

// Why a kernel was stopped: CUDA's name for the error, and what happened in words.
struct KernelFailure {
  std::string name;
  std::string explanation;
  Failure failure = {};
};

}  // namespace gpulab::simulator::schedule
