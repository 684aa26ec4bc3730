#pragma once

#include <cstddef>
#include <future>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "device/device.hpp"
#include "lesson/arrays.hpp"
#include "lesson/launch.hpp"
#include "lesson/lesson.hpp"
#include "run/run_options.hpp"
#include "run/validate/comparison.hpp"

namespace gpulab::run {

// The arrays of a problem in the device's memory, each between two guard zones.
class DeviceArrays {
 public:
  // Allocates, and puts the inputs there. Throws DeviceError.
  DeviceArrays(device::Device& device, device::Stream& stream, std::vector<SizedArray> arrays,
               const Inputs& inputs);
  DeviceArrays(const DeviceArrays&) = delete;
  DeviceArrays& operator=(const DeviceArrays&) = delete;

  // Of the first element, and what there is to know about it. Throws std::logic_error for a name that no
  // array has.
  device::DevicePointer address_of(const std::string& array) const;
  const SizedArray& array(const std::string& array) const;

  // "input[5]" for an address in or near an array; empty for any other.
  std::string element_at(device::DevicePointer address) const;

  // Before a launch that is to be checked: outputs and scratch poisoned or cleared, guard zones whole.
  void reset();
  // Before a launch that is only timed: just the arrays that kernels add to.
  void clear_accumulators();
  // For a variant that copies its inputs itself.
  void poison_inputs();

  // Waits for the stream, and reads the outputs back.
  void read_outputs(Outputs& outputs);

  struct DamagedArray {
    const SizedArray* array = nullptr;
    validate::GuardHit hit;
  };
  // Waits for the stream. The first array outside of which something was written.
  std::optional<DamagedArray> damaged_array();

  // Waits for the stream. The first input that is not what was put there any more, or null.
  const SizedArray* changed_input(const Inputs& inputs);

  void copy_inputs(const Inputs& inputs);
  void copy_input(const Array& input);
  void copy_output(Array& output);

  // What all arrays take, guard zones included.
  static std::size_t bytes_with_guards(const std::vector<SizedArray>& arrays);

 private:
  struct Buffer {
    const SizedArray* array = nullptr;
    device::DeviceMemory memory;        // the array between its guard zones
    device::DevicePointer address = 0;  // of the first element
    std::byte pattern{};
  };

  const Buffer& buffer(const std::string& array) const;
  void set(const Buffer& buffer, unsigned char value);
  std::vector<std::byte> read_zone(device::DevicePointer from);

  device::Device& device_;
  device::Stream& stream_;
  std::vector<SizedArray> sizes_;
  std::vector<Buffer> buffers_;
};

// How large a problem may be to be simulated in one of the slow ways.
struct ProblemLimit {
  std::size_t items = 0;  // work items
  double operations = std::numeric_limits<double>::infinity();

  bool allows(const Problem& problem) const;
};

// Counting accesses is slow, and what a warp does is the same everywhere.
constexpr ProblemLimit to_inspect{.items = std::size_t{1} << 18, .operations = 1e7};
constexpr ProblemLimit to_count{.items = std::size_t{1} << 18, .operations = 1e8};

// A mistake shows in far fewer elements than a lesson's default size has.
constexpr ProblemLimit to_show_a_mistake{.items = std::size_t{1} << 19};

// A problem and the settings that it was made with.
struct MadeProblem {
  Settings settings;
  Problem problem;
};

// The problem with the largest of --size and of the lesson's own counts halved until the limit allows it.
// None where nothing is left to halve. Throws UsageError for settings that make no sense.
std::optional<MadeProblem> smaller_problem(const Lesson& lesson, const Settings& asked, ProblemLimit limit);

// Refuses, in one sentence, a size for which this machine or this device has not the memory, before any of it
// is taken. The simulated device's memory is the host's.
void check_size(const Lesson& lesson, const Problem& problem, const Settings& settings,
                const DeviceProperties& device);

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
  ProblemCache(const Lesson& lesson, const KernelFiles& files, device::Device& device);

  // Takes the problem with these settings, which are those that were asked for; none of a tolerance for the
  // problem's own. Throws std::logic_error where the lesson and its problem do not fit together.
  RunContext& make(Problem problem, const Settings& settings,
                   const std::optional<Tolerance>& tolerance = std::nullopt);

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
  std::unique_ptr<device::Stream> stream_;
  Modules modules_;
  Tolerance tolerance_;
  std::vector<std::unique_ptr<Entry>> entries_;  // the asked one first
};

}  // namespace gpulab::run
