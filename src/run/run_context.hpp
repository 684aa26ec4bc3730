#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "core/lesson.hpp"
#include "device/device.hpp"
#include "run/device_arrays.hpp"
#include "run/kernel_files.hpp"
#include "run/prepared_problem.hpp"

namespace gpulab::run {

// Compiled kernel files, kept while a lesson runs: several variants share one.
class Modules {
 public:
  explicit Modules(device::Device& device) : device_(device) {}
  // Throws CompileError.
  device::Module& compiled(const device::KernelSource& source, const device::CompileOptions& options);

 private:
  device::Device& device_;
  std::map<std::tuple<std::string, device::Schedule, bool>, std::unique_ptr<device::Module>> modules_;
};

// Where variants run: the device with the problem's arrays on it.
struct RunContext {
  const Lesson& lesson;
  device::Device& device;
  device::Stream& stream;
  Modules& modules;
  const KernelFiles& files;
  PreparedProblem& prepared;
  DeviceArrays& arrays;
  Tolerance tolerance;

  bool is_simulated() const { return device.properties().simulated(); }
  LaunchContext launch_context(unsigned block_size) const { return prepared.launch_context(block_size); }
};

}  // namespace gpulab::run
