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

// A problem's arrays in device memory, each between two guard zones.
class DeviceArrays {
 public:
  // Allocates the arrays and uploads the inputs. Throws DeviceError.
  DeviceArrays(device::Device& device, device::Stream& stream, std::vector<SizedArray> arrays,
               const Inputs& inputs);
  DeviceArrays(const DeviceArrays&) = delete;
  DeviceArrays& operator=(const DeviceArrays&) = delete;

  // Return the first element's address, and the array's description. Throw std::logic_error for other names.
  device::DevicePointer address_of(const std::string& array) const;
  const SizedArray& array(const std::string& array) const;

  // Names the element at an address, as "input[5]": of the array that has the address, or has it in a guard
  // zone, or else of the array that begins at `near`.
  MemoryName element_at(device::DevicePointer address, device::DevicePointer near = 0) const;

  // Prepares a launch: poisons or clears outputs and scratch, restores guard zones.
  void reset();
  // Poisons the inputs, for a variant that copies them itself.
  void poison_inputs();

  // Waits for the stream and reads the outputs back.
  void read_outputs(Outputs& outputs);

  struct DamagedArray {
    const SizedArray* array = nullptr;
    validate::GuardHit hit;
  };
  // Waits for the stream. Returns the first array with a write outside it.
  std::optional<DamagedArray> damaged_array();

  // Waits for the stream. Returns the first input that was modified, or null.
  const SizedArray* changed_input(const Inputs& inputs);

  void copy_inputs(const Inputs& inputs);
  void copy_input(const Array& input);
  void copy_output(Array& output);

  // Returns the bytes of all arrays with their guard zones.
  static std::size_t bytes_with_guards(const std::vector<SizedArray>& arrays);

 private:
  struct Buffer {
    const SizedArray* array = nullptr;
    device::DeviceMemory memory;        // the array between its guard zones
    device::DevicePointer address = 0;  // address of the first element
    std::byte pattern{};                // byte that fills its guard zones
  };

  const Buffer& buffer(const std::string& array) const;
  void set(const Buffer& buffer, unsigned char value);
  std::vector<std::byte> read_zone(device::DevicePointer from);

  device::Device& device_;
  device::Stream& stream_;
  std::vector<SizedArray> sizes_;
  std::vector<Buffer> buffers_;
};

// Largest problem to simulate in one of the slow modes.
struct ProblemLimit {
  std::size_t items = 0;  // work items
  double operations = std::numeric_limits<double>::infinity();

  bool allows(const Problem& problem) const;
};

// Limits for counting accesses, which is slow: in `gpulab inspect`, and with any other run. Fewer elements
// suffice, since warps behave alike.
constexpr ProblemLimit inspect_limit{.items = std::size_t{1} << 18, .operations = 1e7};
constexpr ProblemLimit count_limit{.items = std::size_t{1} << 18, .operations = 1e8};

// Limit for showing a mistake, which needs far fewer elements than a lesson's default size.
constexpr ProblemLimit mistake_limit{.items = std::size_t{1} << 19};

// A problem and the settings it was made with.
struct MadeProblem {
  Settings settings;
  Problem problem;
};

// Halves the largest of --size and of the lesson's own counts until the limit allows the problem. None if
// neither can be halved. Throws UsageError for inconsistent settings.
std::optional<MadeProblem> smaller_problem(const Lesson& lesson, const Settings& asked, ProblemLimit limit);

// Throws an error in one sentence if this machine or device lacks memory for the size, before any is
// allocated. The simulator's memory is the host's.
void check_size(const Lesson& lesson, const Problem& problem, const Settings& settings,
                const DeviceProperties& device);

// A problem with its inputs made and its expected outputs computed, by the plain loop or else by OpenMP.
struct PreparedProblem {
  // Throws std::logic_error if the lesson and its problem do not match.
  PreparedProblem(const Lesson& lesson, Problem problem, const Settings& settings);
  // Prepares one rank's part of a whole problem, without expected outputs.
  PreparedProblem(const PreparedProblem& whole, const PartOfProblem& part);

  LaunchContext launch_context(unsigned block_size, unsigned warp_size = 32) const {
    return {settings, problem.work_items(), block_size, warp_size, &problem};
  }

  Problem problem;
  Settings settings;
  Inputs inputs;
  Outputs expected;
};

// Compiled kernel files, kept during a lesson's run because variants share them.
class Modules {
 public:
  explicit Modules(device::Device& device) : device_(device) {}
  // Throws CompileError.
  device::Module& compiled(const device::KernelSource& source, const device::CompileOptions& options);

  // Forgets modules, because files may have changed.
  void forget();

  // Restores what the files' variables held when they were loaded.
  void restore_variables(device::Stream& stream);
  // Waits for the stream. Returns whether a variable holds something else.
  bool has_changed_variable(device::Stream& stream);

  // Compiles in the background. For simulated devices only: a GPU belongs to the thread that opened it.
  void begin_compiling(const device::KernelSource& source, const device::CompileOptions& options);

 private:
  using Key = std::tuple<std::string, device::Instrumentation, bool>;
  struct Variable {
    device::DeviceSymbol symbol;
    std::vector<std::byte> initial;  // its bytes before the first launch
  };

  device::Device& device_;
  std::map<Key, std::future<std::unique_ptr<device::Module>>> begun_;
  std::map<Key, std::unique_ptr<device::Module>> modules_;
  std::vector<Variable> variables_;  // of all modules
};

// Returns how a variant's file is compiled for the simulator if it is neither counted nor checked.
device::Instrumentation default_instrumentation(const Variant& variant);
device::CompileOptions compile_options(const Variant& variant, device::Instrumentation instrumentation);

// The environment of variants: the device with the problem's arrays on it.
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
  LaunchContext launch_context(unsigned block_size) const {
    return prepared.launch_context(block_size, device.properties().warp_size);
  }
};

// The problems of one lesson's run: the requested one, and smaller ones for anything too slow at that size.
// Each has its own inputs, expected outputs and arrays.
class ProblemCache {
 public:
  ProblemCache(const Lesson& lesson, const KernelFiles& files, device::Device& device);

  // Stores the problem with the requested settings; without a tolerance, the problem's own applies. Throws
  // std::logic_error if the lesson and its problem do not match.
  RunContext& make(Problem problem, const Settings& settings,
                   const std::optional<Tolerance>& tolerance = std::nullopt);

  // Forgets compiled kernel files, which may have changed.
  void forget_compiled() { modules_.forget(); }

  // Compiles the variant's file in the background.
  void begin_to_compile(const Variant& variant);

  RunContext& asked();  // the requested problem
  // Returns the requested problem if its --size is at most this, else the problem of this size.
  RunContext& at_most(std::size_t size);
  // Returns the requested problem if the limit allows it, else a smaller one; null if none is small enough.
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

  RunContext* find(const Settings& settings);
  RunContext& add(Problem problem, const Settings& settings);

  const Lesson& lesson_;
  const KernelFiles& files_;
  device::Device& device_;
  std::unique_ptr<device::Stream> stream_;
  Modules modules_;
  Tolerance tolerance_;
  std::vector<std::unique_ptr<Entry>> entries_;  // the requested one first
};

}  // namespace gpulab::run
