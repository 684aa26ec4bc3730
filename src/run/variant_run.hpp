#pragma once

#include <exception>
#include <vector>

#include "lesson/finding.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"
#include "run/problems.hpp"
#include "run/run_options.hpp"
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

// What a warp's accesses to memory come to, on the simulator: means over the requests of one run. Throws what
// running the variant throws.
std::vector<Figure> access_figures(const RunContext& context, const Variant& variant, unsigned block_size,
                                   const std::vector<AccessMetric>& metrics);

// Runs the variant once more, with every access to memory counted, and adds to the result's counts what came
// of it: "global_load_sectors", "shared_store_wavefronts", ... They are exact, and the same on every machine.
// What was computed is judged as after the first run. Throws what running the variant throws.
void count_run(const RunContext& context, const Variant& variant, unsigned block_size, VariantResult& result);

// Long enough for a GPU that was idle to raise its clocks.
constexpr double default_warm_up_s = 0.1;

// What is asked for of one variant.
struct VariantTask {
  const Variant& variant;
  unsigned block_size = 0;
  std::optional<device::Instrumentation> instrumentation =
      {};  // how to compile it for the simulator; none for the variant's own way
  bool with_timeline = false;
  bool with_copy_rates = false;
  bool with_registers = false;
  // Takes the outputs, when all of them are right.
  std::function<void(Outputs outputs)> when_right = {};
  bool with_steady_time =
      false;                 // and the time of a launch for the host, and the energy where the device tells
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

// One rung: compile, run on poisoned outputs, compare, take its time where that is asked for and it came out
// right, compare once more, and say what came of it. Whatever goes wrong is in the result; nothing is thrown
// for it.
VariantResult run_variant(const RunContext& context, const VariantTask& task);

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
