#pragma once

#include <future>
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

  // Compiles in the background what will be asked for later. For simulated devices only: a GPU belongs to the
  // thread that opened it.
  void begin(const device::KernelSource& source, const device::CompileOptions& options);

 private:
  using Key = std::tuple<std::string, device::Instrumentation, bool>;

  device::Device& device_;
  std::map<Key, std::future<std::unique_ptr<device::Module>>> begun_;
  std::map<Key, std::unique_ptr<device::Module>> modules_;
};

// How a variant runs on the simulator unless it is to be counted or checked.
device::Instrumentation default_instrumentation(const Variant& variant);
device::CompileOptions compile_options(const Variant& variant, device::Instrumentation instrumentation);

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
