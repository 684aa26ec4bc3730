#pragma once

#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/arrays.hpp"
#include "core/launch.hpp"
#include "core/lesson.hpp"
#include "device/device.hpp"
#include "run/device_arrays.hpp"
#include "run/kernel_files.hpp"
#include "run/smaller_problem.hpp"

namespace gpulab::run {

// A problem with its inputs made and its reference computed, by the plain loop on one thread.
struct PreparedProblem {
  // Throws std::logic_error where the lesson and its problem do not fit together.
  PreparedProblem(const Lesson& lesson, Problem problem, const Settings& settings);
  // What one rank has of a whole one. Nothing is expected of it alone.
  PreparedProblem(const PreparedProblem& whole, const PartOfProblem& part);

  LaunchContext launch_context(unsigned block_size) const {
    return {settings, problem.work_items(), block_size, &problem};
  }

  Problem problem;
  Settings settings;
  Inputs inputs;
  Outputs expected;
};

// Compiled kernel files, kept while a lesson runs: several variants share one.
class Modules {
 public:
  explicit Modules(device::Device& device) : device_(device) {}
  // Throws CompileError.
  device::Module& compiled(const device::KernelSource& source, const device::CompileOptions& options);

  // What was compiled of files that may be other ones now.
  void forget();

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

// The problems of one lesson's run: the one that was asked for, and smaller ones for what would take too long
// at that size. Each has inputs, a reference and arrays of its own.
class ProblemCache {
 public:
  ProblemCache(const Lesson& lesson, const KernelFiles& files, device::Device& device,
               device::Stream& stream);

  // Takes the problem with these settings, which are those that were asked for. Throws std::logic_error where
  // the lesson and its problem do not fit together.
  RunContext& make(Problem problem, const Settings& settings, const Tolerance& tolerance);

  // The kernel files have changed: what was compiled of them is compiled anew.
  void forget_compiled() { modules_.forget(); }

  // Compiles the variant's file in the background.
  void begin_to_compile(const Variant& variant);

  RunContext& asked();
  // With at most that --size; the asked one, if that is not larger.
  RunContext& at_most(std::size_t size);
  // The asked one, if the limit allows it, or a smaller one; null where nothing makes it small enough.
  RunContext* within(const ProblemLimit& limit);

 private:
  struct Entry {
    Entry(const Lesson& lesson, Problem problem, const Settings& settings, device::Device& device,
          device::Stream& stream)
        : prepared(lesson, std::move(problem), settings),
          arrays(device, stream, prepared.problem.arrays, prepared.inputs) {}
    PreparedProblem prepared;
    DeviceArrays arrays;
    std::unique_ptr<RunContext> context;
  };

  RunContext* found(const Settings& settings);
  RunContext& add(Problem problem, const Settings& settings);

  const Lesson& lesson_;
  const KernelFiles& files_;
  device::Device& device_;
  device::Stream& stream_;
  Modules modules_;
  Tolerance tolerance_;
  std::vector<std::unique_ptr<Entry>> entries_;  // the asked one first
};

}  // namespace gpulab::run
