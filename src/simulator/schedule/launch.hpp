#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "lesson/handles.hpp"
#include "lesson/launch.hpp"
#include "simulator/watch/access_recorder.hpp"

namespace gpulab::simulator::schedule {

// The most shared memory that a block of a lesson can have, static and dynamic together: that of compute
// capability 7.5 (a T4). All GPUs from 7.0 on have at least as much, so a launch that fits here fits on all.
constexpr std::size_t simulated_shared_bytes = 64 * 1024;

// The most shared memory that a block of a whole program can have: that of compute capability 8.0 (an A100).
// Modules reserve as much.
constexpr std::size_t largest_shared_bytes = 163 * 1024;

// The layout of a kernel's shared memory. Shared memory is thread-local storage of the kernel's shared
// object, so every worker has its own, at the same offsets from the start of the dynamic part.
struct SharedMemory {
  struct Range {
    std::size_t offset = 0;  // from the start of the module's thread-local storage
    std::size_t bytes = 0;
    std::string variable = {};  // name of the variable in the kernel file
    // A guard variable of g++, which records whether an object is constructed. In device code objects always
    // count as constructed.
    bool is_guard = false;
  };
  char* (*dynamic_address)() = nullptr;  // for the calling worker
  std::size_t dynamic_offset = 0;
  std::size_t module_bytes = 0;  // size of the module's thread-local storage
  // The __shared__ variables that the kernel may use: its own, and the variables of all device functions,
  // since symbols do not show which functions the kernel calls.
  std::vector<Range> statics;
  std::size_t static_bytes = 0;   // of the kernel's own variables, which count towards the limit
  bool has_dynamic = false;       // the file declares extern __shared__ arrays
  std::size_t dynamic_bytes = 0;  // of this launch
};

// Fills a block's shared memory with visible garbage, as hardware leaves it: NaN as a float, a negative
// number as an integer. Outputs never hold this garbage before a launch, so garbage in an output was stored
// by a kernel. A canary follows the dynamic part that the launch asked for.
void fill_with_garbage(const SharedMemory& shared);

// Returns whether a block wrote past the end of its dynamic part, over the canary.
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
  bool is_managed = false;  // the host can use the variable as well
};

// The function of a kernel's object that runs all threads of a block, in turn.
struct ThreadLoop {
  using Function = unsigned (*)(void* const* arguments);
  Function run = nullptr;  // null if the object has none
  // Whether `run` also goes through the block's barriers. It then returns the number of barriers, and the
  // threads wait for nothing else.
  bool runs_barriers = false;
};

// Everything that a worker needs to run one block of a launch.
struct SimulatedLaunch {
  HostCall call = nullptr;
  void* function = nullptr;
  void* const* arguments = nullptr;
  const std::vector<std::size_t>* argument_sizes = nullptr;
  LaunchConfig config;
  WarpSize warp_size = {};
  SharedMemory shared;
  device::Instrumentation instrumentation = device::Instrumentation::none;
  std::vector<watch::AddressRange> global_memory = {};  // in a counted launch
  // Which blocks a counted launch runs. 0: all, on all workers. all_accesses: all, but in two halves of the
  // grid, each in order on one worker, so that no count depends on how many workers there are. Any other
  // number: a sample of the blocks, on one worker, until its blocks have made that many accesses.
  std::uint64_t accesses_to_sample = 0;
  bool counts_in_order() const { return accesses_to_sample > 0; }
  bool runs_in_halves() const { return accesses_to_sample == device::Instruments::all_accesses; }
  bool records_footprints = false;  // of counted blocks, though the launch is not sampled
  bool has_footprints() const { return records_footprints || counts_in_order(); }
  std::vector<watch::OwnedMemory> all_allocations = {};  // allocations of all devices, if there are several
  int device = 0;                                        // on which the launch runs
  device::ThreadOrder order = {};
  watch::LaunchWatch* watch = nullptr;  // in a checked launch
  DeviceHeap* heap = nullptr;           // for malloc() in kernels
  bool compares_and_swaps = false;      // the kernel's file has an atomicCAS
  // Whether the other blocks go on after a failure that a GPU survives: KernelFailure::lets_gpu_go_on().
  bool continues_after_block_failure = false;
  // Whether blocks run one after another, so that the result does not depend on timing. A block that waits
  // for another block lets that one run.
  bool in_order = false;
  ThreadLoop loop = {};
  void* bound = nullptr;  // first argument of `call`; null if that is `function`
  void* callee() const { return bound ? bound : function; }
};

// A launch that a thread of a kernel has asked for (dynamic parallelism).
struct ChildLaunch {
  std::size_t block = 0;  // the thread's block, by its number in the grid
  unsigned thread = 0;
  LaunchConfig config = {};
  std::uintptr_t stream = 0;     // the handle
  std::uintptr_t issued_at = 0;  // return address of the launch
  HostCall call = nullptr;       // null until the launched kernel is called
  std::string kernel = {};
  std::uintptr_t pc = 0;  // in the launched kernel
  std::vector<std::byte> arguments = {};
};

// The output of one block's threads, in the order in which they printed.
struct BlockOutput {
  std::size_t block = 0;  // the block's number in the grid
  std::string text;
};

// The reason why a kernel was stopped: CUDA's name for the error, and an explanation.
struct KernelFailure {
  std::string name;
  std::string explanation;
  Failure failure = {};
  // Whether a GPU goes on with the kernel, and with the program.
  bool lets_gpu_go_on() const {
    return failure.kind == DefectKind::division_by_zero || failure.kind == DefectKind::array_index ||
           failure.kind == DefectKind::wrong_mask;
  }
};

}  // namespace gpulab::simulator::schedule
