#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
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

// The figures that a lesson can show of its variants, besides their times.

// Registers, local memory and spills per thread, of the variant's kernel. Without a GPU they are those of an
// architecture that NVRTC can compile for; none where there is no NVRTC either.
std::vector<Figure> register_figures(const RunContext& context, const Variant& variant,
                                     VariantExecution& execution);

// GB/s in either direction, over the time that copies in that direction took together.
std::vector<Figure> copy_rate_figures(const Timeline& timeline);

// The same as percents of what the link does with large copies from and to page-locked memory, as measured.
std::vector<Figure> link_figures(const std::vector<Figure>& copy_rates, const TransferResult& link);

// Runs once, on the simulator, what was compiled so that its accesses are counted. The counts are exact, and
// the same on every machine. Throws what running it throws.
AccessCounts count_accesses(const RunContext& context, VariantExecution& execution);

// What a warp's accesses to memory come to: means over the requests of a run.
std::vector<Figure> access_figures(const AccessCounts& counts, const std::vector<AccessMetric>& metrics);

// The sums by name: "global_load_sectors", "shared_store_wavefronts", ...
std::map<std::string, std::uint64_t> named_counts(const AccessCounts& counts);

// What is asked for of one variant.
struct VariantTask {
  const Variant& variant;
  unsigned block_size = 0;
  // How to compile it for the simulator, such as to be watched; none for the variant's own way.
  std::optional<device::Instrumentation> instrumentation = {};
  bool with_timeline = false;
  bool with_copy_rates = false;
  bool with_registers = false;
  // Takes the outputs, when all of them are right.
  std::function<void(Outputs outputs)> when_right = {};
  // Beside the time of a launch for the host, and the energy where the device tells.
  bool with_steady_time = false;
  bool with_counts = false;  // on the simulator: one more run, with every access counted
  // Seconds to take its time in: on a GPU as the GPU sees it, on the simulator that of launches by the clock
  // on the wall. None to leave it at the check.
  std::optional<double> time_budget_s = {};
};

// What the device lacks to run the variant, as a sentence without its subject; empty when it can.
std::string what_it_lacks(const Variant& variant, device::Device& device);

// The same, where all variants were asked for and this one is left out. Throws Error when it was asked for by
// name.
std::string why_left_out(const Variant& variant, const RunOptions& options, device::Device& device);

// What is known of a variant before it has run.
VariantResult begun_result(const RunContext& context, const Variant& variant, unsigned block_size);

// One rung: compile, run on poisoned outputs, compare, take its time where that is asked for and it came out
// right, compare once more, and say what came of it. Where it runs, on one device or on several ranks, says
// how each of these is done.
class VariantRun {
 public:
  // The context is that of the whole problem. All of them have to live longer.
  VariantRun(const RunContext& context, const VariantTask& task, std::vector<device::Device*> devices);
  virtual ~VariantRun() = default;

  // Whatever the variant does wrong is in the result; nothing is thrown for it.
  VariantResult run();

 protected:
  enum class Stage { checked, timed };

  // Does the work, and notes in the result what has ended it. False if the explanation is complete then.
  virtual bool attempt(Stage stage, const std::function<void()>& work) = 0;
  // Compiles it, runs it on poisoned outputs and judges these.
  virtual void check() = 0;
  // Says in the result what was seen while it was checked.
  virtual void tell_defects() {}
  // Takes its time. Runs it once more as for the check, and judges that.
  virtual void take_time(double budget_s) = 0;
  // Waits for what an early end has left behind, and frees what the run has taken.
  virtual void let_go() = 0;

  const RunContext& context_;
  const VariantTask& task_;
  VariantResult result_;

 private:
  std::vector<device::Device*> devices_;
};

// A run on the context's device.
VariantResult run_variant(const RunContext& context, const VariantTask& task);

// Samples within the budget, when the GPU has had time to raise its clocks.
Timing sampled(Stopwatch& stopwatch, double budget_s);

// Notes in the result what has ended a run. Throws it on where it is no error of the variant.
void note_failure(const std::exception_ptr& error, bool is_simulated, VariantResult& result);

// Compares what one rank computed with its part of the whole, and looks at its guard zones and inputs.
void judge_rank(const RunContext& whole, const RunContext& part, const PartOfProblem& held,
                const Variant& variant, VariantExecution& execution, VariantResult& result);

// Compares what a variant computed with the reference, looks at guard zones, inputs and memory left behind,
// and fills in what was observed. Puts the inputs back where something was written into them. Returns the
// outputs.
Outputs judge(const RunContext& context, const Variant& variant, VariantExecution& execution,
              VariantResult& result);

}  // namespace gpulab::run
