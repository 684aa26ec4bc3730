#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/launch.hpp"
#include "core/parameters.hpp"
#include "device/device.hpp"
#include "simulator/count/access_recorder.hpp"

namespace gpulab::simulator::check {
class LaunchWatch;
}

namespace gpulab::simulator::schedule {

// The most shared memory that a block can have, static and dynamic together. GPUs of compute capability 7.5
// (a T4) have the least of all since 7.0, so a launch that fits here fits on all of those.
constexpr std::size_t simulated_shared_bytes = 64 * 1024;

// Where a kernel's shared memory lies. It is thread-local storage of the kernel's shared object, so every
// worker has its own, at the same distances from the start of the dynamic part.
struct SharedMemory {
  struct Range {
    std::size_t offset = 0;  // from the start of the module's thread-local storage
    std::size_t bytes = 0;
    std::string variable = {};  // its name in the kernel file
  };
  char* (*dynamic_address)() = nullptr;  // of the calling worker
  std::size_t dynamic_offset = 0;
  std::size_t module_bytes = 0;  // all thread-local storage of the module
  // The __shared__ variables that the kernel may use: its own, and those of device functions, of which the
  // symbols do not tell who calls them. Only its own count towards the limit.
  std::vector<Range> statics;
  std::size_t static_bytes = 0;
  bool has_dynamic = false;       // the file declares extern __shared__ arrays
  std::size_t dynamic_bytes = 0;  // of this launch
};

// A __device__ or __constant__ variable of a kernel file.
struct ModuleVariable {
  std::string name;
  count::AddressRange range;
  bool is_constant = false;
};

// Everything that a worker needs to run one block of a launch.
struct SimulatedLaunch {
  HostCall call = nullptr;
  void* function = nullptr;
  void* const* arguments = nullptr;
  const std::vector<std::size_t>* argument_sizes = nullptr;
  LaunchConfig config;
  SharedMemory shared;
  device::Schedule schedule = device::Schedule::forward;
  std::vector<count::AddressRange> global_memory = {};  // where the accesses to it are counted
  device::ThreadOrder order = {};
  check::LaunchWatch* watch = nullptr;  // where it is checked
};

// Why a kernel was stopped: CUDA's name for the error, and what happened in words.
struct KernelFailure {
  std::string name;
  std::string explanation;
  Failure failure = {};
};

}  // namespace gpulab::simulator::schedule
