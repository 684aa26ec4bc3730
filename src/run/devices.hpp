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

enum class DeviceChoice { automatic, cuda, simulator };

struct OpenedDevice {
  std::unique_ptr<device::Device> device;
  std::string fallback;  // why it is the simulator and no GPU, where nobody chose; empty otherwise
};

// Opens the device that was asked for. Automatic takes a GPU when there is one that can be used, else the
// simulator, and remarks which. Throws DeviceError.
OpenedDevice open_or_fall_back(DeviceChoice choice, int index, device::CompileCache& cache,
                               const std::function<void(const std::string&)>& remark);

// The same, for those who need not know why.
std::unique_ptr<device::Device> open_device(DeviceChoice choice, int index, device::CompileCache& cache,
                                            const std::function<void(const std::string&)>& remark);

// The GPU of a process that has this rank on its machine: ranks take the GPUs in turn. Where each process
// sees one GPU only, that is number 0 for all.
int index_of_local_rank(DeviceChoice choice, int local_rank);

// The processes that a launcher (mpirun, srun) has started together with this one, for a lesson that runs on
// several GPUs; null where there are none. Throws Error.
std::unique_ptr<ranks::Processes> join_processes();

// Every device that this machine has: GPUs first, the simulator last.
std::vector<DeviceProperties> all_devices();

// If this process was started to run a device for another, does that, and returns what it ends with. To be
// called first in main.
std::optional<int> serve_device_if_asked(const std::vector<std::string>& words);

// One thing that gpulab uses on this machine.
struct Finding {
  std::string what;  // "C++ compiler for the simulator"
  bool found = false;
  bool is_optional = false;  // a machine without a GPU does well without it
  std::string detail;        // what was found and where, or what is wrong
  std::string fix;           // the command, or the step, that fixes it; empty when nothing is to be done
};

struct Diagnosis {
  std::vector<Finding> findings;
  bool can_simulate = false;
  bool can_use_gpu = false;
};

// Looks at everything the two devices need, without changing anything.
Diagnosis examine_machine();

}  // namespace gpulab::run
