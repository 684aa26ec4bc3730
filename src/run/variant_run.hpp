#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lesson/finding.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"
#include "run/problems.hpp"
#include "run/run_options.hpp"
#include "run/sampling.hpp"
#include "run/variant_execution.hpp"

namespace gpulab::run {

// Figures that a lesson can show for its variants, besides their times.

// Returns GB/s in either direction, over the time during which copies in that direction were active.
std::vector<Figure> copy_rate_figures(const Timeline& timeline);

// Returns these rates in percent of the rate that was measured for large copies with page-locked memory.
std::vector<Figure> link_figures(const std::vector<Figure>& copy_rates, const TransferResult& link);

// Runs an execution that was compiled to count its accesses, once, on the simulator. The counts are exact,
// and the same on every machine. Rethrows errors of the run.
AccessCounts count_accesses(const RunContext& context, VariantExecution& execution);

// Returns figures of the warps' memory accesses: means over the requests of a run.
std::vector<Figure> access_figures(const AccessCounts& counts, const std::vector<AccessMetric>& metrics);

// Returns the names of all that the simulator can count of a run: VariantResult::counts.
std::vector<std::string> names_of_counts();

// The work requested for one variant.
struct VariantTask {
  const Variant& variant;
  unsigned block_size = 0;
  // Instrumentation on the simulator; by default the variant's own.
  std::optional<device::Instrumentation> instrumentation = {};
  bool with_timeline = false;
  bool with_copy_rates = false;
  bool with_registers = false;
  std::vector<std::string> architectures = {};  // to show registers for; by default the device's
  // Receives the outputs, if all of them are right.
  std::function<void(Outputs outputs)> when_right = {};
  // Adds a steady time to the host's launch time, and energy if the device has a counter.
  bool with_steady_time = false;
  bool with_counts = false;  // simulator: one more run, with every access counted
  // Seconds for timing: kernel time on a GPU, wall-clock time on the simulator. None to check only.
  std::optional<double> time_budget_s = {};
};

// Returns what the device lacks to run the variant, as a sentence without its subject; "" if it can.
std::string missing_requirement(const Variant& variant, device::Device& device);

// Returns the same sentence for a variant that is to be left out. Throws Error if it was requested by name.
std::string why_left_out(const Variant& variant, const RunOptions& options, device::Device& device);

// Returns the part of the result known before the variant has run.
VariantResult begun_result(const RunContext& context, const Variant& variant, unsigned block_size);

// Runs one variant: compiles it, runs it on poisoned outputs, compares, times it if requested and right,
// compares the results of timed runs, and reports. Subclasses define the steps for one device and for several
// ranks.
class VariantRun {
 public:
  // `context` is that of the whole problem. All arguments must outlive this.
  VariantRun(const RunContext& context, const VariantTask& task, std::vector<device::Device*> devices);
  virtual ~VariantRun() = default;

  // Reports every failure of the variant in the result, without throwing.
  VariantResult run();

 protected:
  enum class Stage { checked, timed };

  // Does the work and records what ended it early. Returns false if the result already explains that end.
  virtual bool attempt(Stage stage, const std::function<void()>& work) = 0;
  // Compiles the variant, runs it on poisoned outputs and judges them.
  virtual void check() = 0;
  // Adds defects seen during the check to the result.
  virtual void add_defects() {}
  // Times the variant, and judges results of timed runs.
  virtual void take_time(double budget_s) = 0;
  // Waits for work left behind by an early end, and frees the run's resources.
  virtual void free_resources() = 0;

  const RunContext& context_;
  const VariantTask& task_;
  VariantResult result_;

 private:
  std::vector<device::Device*> devices_;
};

// Runs a variant on the context's device.
VariantResult run_variant(const RunContext& context, const VariantTask& task);

// Takes samples within the budget, after time for the GPU to raise its clocks.
Timing sampled(Stopwatch& stopwatch, double budget_s);

// Records in the result what ended a run. Rethrows what is not an error of the variant.
void note_failure(const std::exception_ptr& error, bool is_simulated, VariantResult& result);

// Compares one rank's outputs with its part of the whole, and checks its guard zones and inputs.
void judge_rank(const RunContext& whole, const RunContext& part, const PartOfProblem& held,
                const Variant& variant, VariantExecution& execution, VariantResult& result);

// Compares the outputs with the reference, checks guard zones, inputs and leaks, and fills in the observed
// outcome. Restores inputs that were written to. Returns the outputs.
Outputs judge(const RunContext& context, const Variant& variant, VariantExecution& execution,
              VariantResult& result);

// Compares on the device what each timed launch has left, so that only launches that did their work count.
// The expected outputs are masked in the device's memory, so that no kernel can find and copy them.
class TimedResults {
 public:
  // Both arguments must outlive this. Throws DeviceError, such as for too little memory.
  TimedResults(const RunContext& context, const Variant& variant);

  // Queues the comparison of what the last launch in the stream leaves.
  void compare();
  // Waits, and returns how many elements were wrong so far.
  std::uint32_t wrong_elements();

 private:
  struct Expected {
    const Array& array;
    device::DeviceMemory hidden;  // the array's words, masked with key_
  };

  void launch(const device::Kernel& kernel, std::size_t threads, std::vector<std::uint64_t> values);

  const RunContext& context_;
  Tolerance tolerance_;
  std::uint32_t key_;
  std::unique_ptr<device::Kernel> count_wrong_;  // adds to wrong_
  std::vector<Expected> expected_;
  device::DeviceMemory wrong_;  // a count
};

// Runs the variant on outputs that hold neither poison nor the right values. Returns whether it replaces them
// by the right values, or adds the right values to them.
bool replaces_or_adds(const RunContext& context, const Variant& variant, VariantExecution& execution);

// Describes which rows of a rank's part are wrong, if all of them are at its start or its end, with right
// rows between: "the first 2 rows and the last row". Returns "" otherwise. The arrays are those of the whole
// problem.
std::string wrong_edges(const Array& output, const Array& expected, const HeldPart& part,
                        const Tolerance& tolerance);

// Does the same for one device that does the work of all ranks: "the last row of rank 0, the first row of
// ranks 1 to 3". Returns "" if the problem is not divided by rows, or other rows are wrong, too.
std::string wrong_edges_of_ranks(const Problem& problem, const Array& output, const Array& expected,
                                 const Tolerance& tolerance);

}  // namespace gpulab::run
