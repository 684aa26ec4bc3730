#include "run/variant_run.hpp"

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "run/sampling.hpp"
#include "run/shown_figures.hpp"
#include "run/stopwatches.hpp"

namespace gpulab::run {

// Long enough for a GPU that was idle to raise its clocks.
constexpr double default_warm_up_s = 0.1;

Timing sampled(Stopwatch& stopwatch, double budget_s) {
  return sample(stopwatch, {.time_budget_s = budget_s, .warm_up_s = std::min(default_warm_up_s, budget_s)});
}

VariantResult begun_result(const RunContext& context, const Variant& variant, unsigned block_size) {
  const LaunchContext at = context.launch_context(block_size);
  VariantResult result{.name = variant.name, .kernel = variant.kernel};
  result.expected = variant.expects.at(at);
  result.size = at.size();
  result.computes_all = variant.computes.empty();
  return result;
}

VariantRun::VariantRun(const RunContext& context, const VariantTask& task,
                       std::vector<device::Device*> devices)
    : context_(context),
      task_(task),
      result_(begun_result(context, task.variant, task.block_size)),
      devices_(std::move(devices)) {}

VariantResult VariantRun::run() {
  attempt(Stage::checked, [this] { check(); });
  tell_defects();
  if (task_.time_budget_s && result_.observed == Outcome::right && result_.expected == Outcome::right) {
    const bool was_judged = attempt(Stage::timed, [this] { take_time(*task_.time_budget_s); });
    if (was_judged && result_.observed != Outcome::right)
      result_.explanation = "right before it was timed, but after: " + result_.explanation;
  }
  let_go();
  for (device::Device* const device : devices_)
    if (device::Instruments* const instruments = device->instruments())
      std::ranges::move(instruments->take_notes(), std::back_inserter(result_.notes));
  return std::move(result_);
}

namespace {

// A race proves nothing by coming out right.
void comment_on_race(VariantResult& result) {
  if (result.expected != Outcome::race || result.observed != Outcome::right) return;
  result.explanation = "that proves nothing, another run or another GPU may get it wrong";
}

class OneDeviceRun : public VariantRun {
 public:
  OneDeviceRun(const RunContext& context, const VariantTask& task)
      : VariantRun(context, task, {&context.device}) {}

 private:
  bool attempt(Stage stage, const std::function<void()>& work) override {
    try {
      work();
      return true;
    } catch (...) {
      note_failure(std::current_exception(), context_.is_simulated(), result_);
    }
    if (stage == Stage::timed && result_.observed == Outcome::faults)
      result_.explanation = "while it was timed: " + result_.explanation;
    return false;
  }

  void let_go() override { execution_.reset(); }

  void check() override {
    execution_.emplace(context_, task_.variant, task_.block_size,
                       task_.instrumentation.value_or(default_instrumentation(task_.variant)));
    look_at(run_and_judge());
    if (task_.with_counts && result_.observed == Outcome::right) count();
    show();
  }

  void look_at(Outputs outputs) {
    comment_on_race(result_);
    if (result_.observed != Outcome::right || !result_.computes_all) return;
    const Problem& problem = context_.prepared.problem;
    if (problem.findings) result_.findings = problem.findings(context_.prepared.inputs, outputs);
    if (task_.when_right) task_.when_right(std::move(outputs));
  }

  Outputs run_and_judge() {
    execution_->reset();
    context_.arrays.reset();
    if (task_.variant.copies_from) context_.arrays.poison_inputs();
    execution_->before();
    context_.device.synchronize(context_.stream);
    if (task_.with_counts) context_.device.instruments()->take_fiber_switches();
    const double start_s = steady_now_s();
    execution_->run();
    result_.launches = execution_->launches();
    if (execution_->first_launch()) result_.launch = execution_->first_launch()->config;
    context_.device.synchronize(context_.stream);
    if (context_.is_simulated() && !result_.simulation_s) result_.simulation_s = steady_now_s() - start_s;
    return judge(context_, task_.variant, *execution_, result_);
  }

  void count() {
    result_.counts["fiber_switches"] = context_.device.instruments()->take_fiber_switches();
    VariantExecution counted(context_, task_.variant, task_.block_size, device::Instrumentation::counted);
    result_.counts.merge(named_counts(count_accesses(context_, counted)));
    judge(context_, task_.variant, counted, result_);
    if (result_.observed != Outcome::right) {
      result_.explanation = "right before its accesses were counted, but after: " + result_.explanation;
      return;
    }
    run_and_judge();
    if (result_.observed != Outcome::right)
      result_.explanation = "right when it first ran, but not when it ran again: " + result_.explanation;
  }

  void show() {
    if (task_.with_registers) add(register_figures(context_, task_.variant, *execution_));
    const bool ran_well = result_.observed == Outcome::right || result_.observed == Outcome::wrong;
    if (!ran_well || (!task_.with_timeline && !task_.with_copy_rates)) return;
    Timeline timeline = execution_->run_with_timeline();
    if (task_.with_copy_rates) add(copy_rate_figures(timeline));
    if (task_.with_timeline) result_.timeline = std::move(timeline);
  }

  void add(const std::vector<Figure>& figures) {
    auto& all = result_.findings.figures;
    all.insert(all.end(), figures.begin(), figures.end());
  }

  void take_time(double budget_s) override {
    if (context_.is_simulated())
      take_launch_time(budget_s);
    else
      take_time_on_gpu(budget_s);
    run_and_judge();
  }

  void take_time_on_gpu(double budget_s) {
    StreamStopwatch stopwatch(
        context_.device, context_.stream, [&] { execution_->before(); }, [&] { execution_->run(); });
    result_.kernel_cold = sampled(stopwatch, budget_s);
    result_.clock_hz = context_.device.current_clock_hz();
    if (task_.with_steady_time) {
      take_launch_time(budget_s / 2);
      take_steady_time(budget_s);
    }
    result_.warnings = timing_warnings(*result_.kernel_cold);
    if (result_.computes_all)
      if (const auto warning = peak_warning(*result_.kernel_cold, context_.prepared.problem.min_traffic(),
                                            context_.device.properties().peak_bytes_per_s))
        result_.warnings.push_back(*warning);
  }

  // What a program sees that starts its clock before the launch.
  void take_launch_time(double budget_s) {
    WallStopwatch stopwatch(
        context_.device, context_.stream, [&] { execution_->before(); }, [&] { execution_->run(); });
    result_.launch_wall = sample(stopwatch, {.time_budget_s = budget_s, .warm_up_s = 0.01});
  }

  // A GPU's counter of energy moves too seldom for less.
  static constexpr double least_budget_for_energy_s = 0.25;

  // Some milliseconds of it at a time. What waits for the device in between cannot be captured, and has none.
  void take_steady_time(double budget_s) {
    constexpr double sample_s = 0.005;
    const double runs = std::clamp(sample_s / result_.kernel_cold->median_s, 1.0, 200.0);
    try {
      GraphStopwatch stopwatch(context_.device, context_.stream, static_cast<std::size_t>(runs),
                               [&] { execution_->run(); });
      if (!stopwatch.can_take()) return;
      result_.kernel_steady = sampled(stopwatch, budget_s);
      if (budget_s < least_budget_for_energy_s) return;
      result_.energy = measure_energy(stopwatch, static_cast<std::size_t>(runs),
                                      [&] { return context_.device.energy_j(); });
    } catch (const device::DeviceError& error) {
      if (error.name().find("STREAM_CAPTURE") == std::string::npos) throw;
    }
  }

  std::optional<VariantExecution> execution_;  // none before it has been compiled
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
    result.failure = error.failure();
    if (result.failure->kind == DefectKind::other) result.failure->kind = DefectKind::launch_refused;
  } catch (const device::DeviceError& error) {
    result.observed = Outcome::faults;
    result.failure = error.failure();
    result.lost_the_device = !is_simulated && error.leaves_device_unusable();
    result.explanation = error.what();
    if (result.lost_the_device) result.explanation += "; --device simulator shows the thread and the line";
  }
}

VariantResult run_variant(const RunContext& context, const VariantTask& task) {
  VariantResult result = OneDeviceRun(context, task).run();
  if (task.variant.copies_from && !result.lost_the_device)
    context.arrays.copy_inputs(context.prepared.inputs);
  return result;
}

}  // namespace gpulab::run
