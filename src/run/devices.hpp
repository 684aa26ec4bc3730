#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/compile_cache.hpp"
#include "device/device.hpp"
#include "run/ranks/processes.hpp"

namespace gpulab::run {

// Throws UsageError, before anything has run, for an environment variable such as GPULAB_TIME_LIMIT=10s.
void require_usable_environment();

enum class DeviceChoice { automatic, cuda, simulator, hip };

struct OpenedDevice {
  std::unique_ptr<device::Device> device;
  std::string fallback;  // why the simulator was chosen automatically; empty otherwise
};

// Opens the requested device. Automatic takes a usable GPU of NVIDIA if
// there is one, else the simulator, and reports to `remark` which it took. Throws DeviceError.
OpenedDevice open_or_fall_back(DeviceChoice choice, int index, device::CompileCache& cache,
                               const std::function<void(const std::string&)>& remark);

std::unique_ptr<device::Device> open_simulator(device::CompileCache& cache, WarpSize warp_size = {});

// Throws DeviceError if no GPU of NVIDIA can be used.
void require_gpu();

// Returns the number of the GPU for a process with this rank on its machine: ranks take the GPUs in turn. If
// each process sees only one GPU, it is number 0 for all.
int index_of_local_rank(DeviceChoice choice, int local_rank);

// Returns the compiler of the simulator's kernels, on which counts depend: "g++ 12.2.0". Throws DeviceError
// if there is none.
std::string compiler_of_simulator();

// Returns every device of this machine: GPUs first, the simulator last.
std::vector<DeviceProperties> all_devices();

// Serves a device or hipRTC to the process that started this one for that, and returns the exit code. None if
// this process was started for something else. Call it first in main.
std::optional<int> serve_device_if_asked(const std::vector<std::string>& words);

// A component that gpulab uses on this machine.
struct Component {
  std::string what;  // "C++ compiler for the simulator"
  bool found = false;
  bool is_optional = false;  // not needed on a machine without a GPU
  std::string detail;        // version or place of the component, or the problem
  std::string fix;           // the command or step that fixes it; empty if there is none
};

struct Diagnosis {
  std::vector<Component> components;
  bool can_simulate = false;
  bool can_use_gpu = false;
};

// Examines everything that the two devices need, without changing anything.
Diagnosis examine_machine();

}  // namespace gpulab::run
