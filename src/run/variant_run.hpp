#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/lesson.hpp"
#include "core/result.hpp"
#include "device/device.hpp"
#include "run/device_arrays.hpp"
#include "run/kernel_files.hpp"
#include "run/prepared_problem.hpp"
#include "run/run_options.hpp"

namespace gpulab {

// Compiled kernel files, kept while a lesson runs: several variants share one.
class Modules {
 public:
  explicit Modules(Device& device) : device_(device) {}
  // Throws CompileError.
  Module& compiled(const KernelSource& source, Schedule schedule);

 private:
  Device& device_;
  std::map<std::pair<std::string, Schedule>, std::unique_ptr<Module>> modules_;
};

// Where variants run: the device with the problem's arrays on it.
struct Workbench {
  Device& device;
  Stream& stream;
  Modules& modules;
  const KernelFiles& files;
  const PreparedProblem& prepared;
  DeviceArrays& arrays;
  Tolerance tolerance;
};

// One rung: compile, launch on poisoned outputs, compare, and say what came of it. Whatever goes wrong is in
// the result; nothing is thrown for it.
VariantResult run_variant(const Workbench& bench, const Variant& variant, unsigned block_size);

// Takes the time of a variant that came out right, on a GPU, and checks its result once more on the timed
// path.
void time_variant(const Workbench& bench, const Variant& variant, unsigned block_size, double time_budget_s,
                  VariantResult& result);

}  // namespace gpulab
