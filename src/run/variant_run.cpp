#include "run/variant_run.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "measure/energy.hpp"
#include "measure/sampling.hpp"
#include "measure/warnings.hpp"
#include "run/counted_run.hpp"
#include "run/shown_figures.hpp"
#include "run/stopwatches.hpp"
#include "run/variant_run.hpp"

namespace gpulab::run {
namespace {

// A race proves nothing by coming out right.
void comment_on_race(VariantResult& result) {
  if (result.expected != Outcome::race || result.observed != Outcome::right) return;
  result.explanation = "that proves nothing, another run or another GPU may get it wrong";
}

class VariantRun {
 public:
  VariantRun(const RunContext& context, const VariantTask& task) : context_(context), task_(task) {
    const LaunchContext at = context.launch_context(task.block_size);
    result_.name = task.variant.name;
    result_.kernel = task.variant.kernel;
    result_.expected = task.variant.expects.at(at);
    result_.size = at.size();
    result_.computes_all = task.variant.computes.empty();
  }

  VariantResult run() {
    try {
      const device::Instrumentation instrumentation =
          task_.instrumentation.value_or(default_instrumentation(task_.variant));
      VariantExecution execution(context_, task_.variant, task_.block_size, instrumentation);
      check(execution);
      if (task_.with_counts && result_.observed == Outcome::right) count(execution);
      show(execution);
      if (task_.time_budget_s && result_.observed == Outcome::right && result_.expected == Outcome::right)
        take_time(execution);
    } catch (...) {
      note_failure(std::current_exception(), context_.is_simulated(), result_);
      if (is_timing_ && result_.observed == Outcome::faults)
        result_.explanation = "while it was timed: " + result_.explanation;
    }
    if (device::Instruments* const instruments = context_.device.instruments())
      result_.notes = instruments->take_notes();
    if (task_.variant.copies_from && !result_.lost_the_device)
      context_.arrays.copy_inputs(context_.prepared.inputs);
    return std::move(result_);
  }

 private:
  void reset(VariantExecution& execution) {
    execution.reset();
    context_.arrays.reset();
    if (task_.variant.copies_from) context_.arrays.poison_inputs();
    execution.before();
  }

  void check(VariantExecution& execution) {
    reset(execution);
    context_.device.synchronize(context_.stream);
    if (task_.with_counts) context_.device.instruments()->take_fiber_switches();
    const double start_s = measure::steady_now_s();
    execution.run();
    result_.launches = execution.launches();
    if (execution.first_launch()) result_.launch = execution.first_launch()->config;
    context_.device.synchronize(context_.stream);
    if (context_.is_simulated()) result_.simulation_s = measure::steady_now_s() - start_s;
    Outputs outputs = judge(context_, task_.variant, execution, result_);
    comment_on_race(result_);
    if (result_.observed != Outcome::right || !result_.computes_all) return;
    const Problem& problem = context_.prepared.problem;
    if (problem.findings) result_.findings = problem.findings(context_.prepared.inputs, outputs);
    if (task_.when_right) task_.when_right(std::move(outputs));
  }

  void count(VariantExecution& execution) {
    result_.counts["fiber_switches"] = context_.device.instruments()->take_fiber_switches();
    count_run(context_, task_.variant, task_.block_size, result_);
    if (result_.observed != Outcome::right) return;
    reset(execution);
    execution.run();
    context_.device.synchronize(context_.stream);
    judge(context_, task_.variant, execution, result_);
    if (result_.observed != Outcome::right)
      result_.explanation = "right when it first ran, but not when it ran again: " + result_.explanation;
  }

  void show(VariantExecution& execution) {
    if (task_.with_registers) add(register_figures(context_, task_.variant, execution));
    const bool ran_well = result_.observed == Outcome::right || result_.observed == Outcome::wrong;
    if (!ran_well || (!task_.with_timeline && !task_.with_copy_rates)) return;
    Timeline timeline = execution.run_with_timeline();
    if (task_.with_copy_rates) add(copy_rate_figures(timeline));
    if (task_.with_timeline) result_.timeline = std::move(timeline);
  }

  void add(const std::vector<Figure>& figures) {
    auto& all = result_.findings.figures;
    all.insert(all.end(), figures.begin(), figures.end());
  }

  void take_time(VariantExecution& execution) {
    is_timing_ = true;
    if (context_.is_simulated())
      take_launch_time(execution, *task_.time_budget_s);
    else
      take_time_on_gpu(execution, *task_.time_budget_s);
    reset(execution);
    execution.run();
    context_.device.synchronize(context_.stream);
    judge(context_, task_.variant, execution, result_);
    if (result_.observed != Outcome::right)
      result_.explanation = "right before it was timed, but after: " + result_.explanation;
  }

  void take_time_on_gpu(VariantExecution& execution, double budget_s) {
    StreamStopwatch stopwatch(
        context_.device, context_.stream, [&] { execution.before(); }, [&] { execution.run(); });
    result_.kernel_cold = measure::sample(
        stopwatch, {.time_budget_s = budget_s, .warm_up_s = std::min(default_warm_up_s, budget_s)});
    result_.clock_hz = context_.device.current_clock_hz();
    if (task_.with_steady_time) {
      take_launch_time(execution, budget_s / 2);
      take_steady_time(execution, budget_s);
    }
    result_.warnings = measure::timing_warnings(*result_.kernel_cold);
    if (result_.computes_all)
      if (const auto warning =
              measure::peak_warning(*result_.kernel_cold, context_.prepared.problem.min_traffic(),
                                    context_.device.properties().peak_bytes_per_s))
        result_.warnings.push_back(*warning);
  }

  // What a program sees that starts its clock before the launch.
  void take_launch_time(VariantExecution& execution, double budget_s) {
    WallStopwatch stopwatch(
        context_.device, context_.stream, [&] { execution.before(); }, [&] { execution.run(); });
    result_.launch_wall = measure::sample(stopwatch, {.time_budget_s = budget_s, .warm_up_s = 0.01});
  }

  // A GPU's counter of energy moves too seldom for less.
  static constexpr double least_budget_for_energy_s = 0.25;

  // Some milliseconds of it at a time. What waits for the device in between cannot be captured, and has none.
  void take_steady_time(VariantExecution& execution, double budget_s) {
    constexpr double sample_s = 0.005;
    const double runs = std::clamp(sample_s / result_.kernel_cold->median_s, 1.0, 200.0);
    try {
      GraphStopwatch stopwatch(context_.device, context_.stream, static_cast<std::size_t>(runs),
                               [&] { execution.run(); });
      if (!stopwatch.can_take()) return;
      result_.kernel_steady = measure::sample(
          stopwatch, {.time_budget_s = budget_s, .warm_up_s = std::min(default_warm_up_s, budget_s)});
      if (budget_s < least_budget_for_energy_s) return;
      result_.energy = measure::measure_energy(stopwatch, static_cast<std::size_t>(runs),
                                               [&] { return context_.device.energy_j(); });
    } catch (const device::DeviceError& error) {
      if (error.name().find("STREAM_CAPTURE") == std::string::npos) throw;
    }
  }

  const RunContext& context_;
  const VariantTask& task_;
  VariantResult result_;
  bool is_timing_ = false;
};

}  // namespace

std::string what_it_lacks(const Variant& variant, device::Device& device) {
  if (variant.needs && !variant.needs->is_met_by(device.properties()))
    return "it needs " + variant.needs->text();
  if (variant.library.empty()) return "";
  if (device.properties().simulated()) return "it needs a GPU";
  if (!device.offers(variant.library))
    return "the library of " + variant.library + " is not here; 'gpulab doctor' says why";
  return "";
}

std::string why_left_out(const Variant& variant, const RunOptions& options, device::Device& device) {
  const std::string lack = what_it_lacks(variant, device);
  if (!lack.empty() && std::ranges::find(options.variants, variant.name) != options.variants.end())
    throw Error(ExitCode::device, "variant '" + variant.name + "' cannot run here: " + lack);
  return lack;
}

void note_failure(const std::exception_ptr& thrown, bool is_simulated, VariantResult& result) {
  try {
    std::rethrow_exception(thrown);
  } catch (const CompileError& error) {
    result.observed = Outcome::fails_to_compile;
    result.explanation = error.what();
    result.compiler_log = printable_lines(error.log());
    result.failure = error.failure();
  } catch (const device::LibraryRefusal& refusal) {
    result.expected = Outcome::not_run;
    result.explanation = refusal.what();
  } catch (const device::LaunchError& error) {
    result.observed = Outcome::fails_to_launch;
    result.explanation = error.what();
    result.failure = Failure{.kind = DefectKind::launch_refused};
  } catch (const device::DeviceError& error) {
    result.observed = Outcome::faults;
    result.failure = error.failure();
    result.lost_the_device = !is_simulated && error.leaves_device_unusable();
    result.explanation = error.what();
    if (result.lost_the_device) result.explanation += "; --device simulator shows the thread and the line";
  }
}

VariantResult run_variant(const RunContext& context, const VariantTask& task) {
  return VariantRun(context, task).run();
}

}  // namespace gpulab::run
