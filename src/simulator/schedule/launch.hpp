#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "lesson/handles.hpp"
#include "lesson/launch.hpp"
#include "simulator/watch/access_recorder.hpp"

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
    // By which g++ knows whether an object is constructed already. Device code has no such moment: it always
    // is.
    bool is_guard = false;
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

// Hardware leaves garbage in shared memory. This makes a block's one that shows: NaN, and a negative number;
// and as a word it is none that an output holds before a launch, so that who stores it is known to have
// stored something. Behind the dynamic part, as far as the launch asked for it, comes a canary.
void fill_with_garbage(const SharedMemory& shared);

// Whether a block wrote past the end of its dynamic part.
bool has_written_past_dynamic(const SharedMemory& shared);

}  // namespace gpulab::simulator::schedule

namespace gpulab::simulator {
class DeviceHeap;
}

namespace gpulab::simulator::watch {
class LaunchWatch;
}

namespace gpulab::simulator::schedule {

// A __device__ or __constant__ variable of a kernel file.
struct ModuleVariable {
  std::string name;
  watch::AddressRange range;
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
  std::vector<watch::AddressRange> global_memory = {};  // where the accesses to it are counted
  // All memory, where several devices are simulated, and which of them this launch runs on.
  std::vector<watch::OwnedMemory> devices_memory = {};
  int device = 0;
  device::ThreadOrder order = {};
  watch::LaunchWatch* watch = nullptr;  // where it is checked
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
