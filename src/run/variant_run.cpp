#include "run/variant_run.hpp"

#include <algorithm>

#include "measure/sampler.hpp"
#include "measure/steady_clock.hpp"
#include "measure/warnings.hpp"
#include "run/stream_stopwatch.hpp"
#include "validate/explanation.hpp"

namespace gpulab {
namespace {

bool is_simulated(const Workbench& bench) {
  return bench.device.properties().simulated();
}

// Long enough for a GPU that was idle to raise its clocks.
constexpr double usual_warm_up_s = 0.1;

struct Planned {
  std::unique_ptr<Kernel> kernel;
  ChosenLaunch launch;
};

Planned plan(const Workbench& bench, const Variant& variant, unsigned block_size) {
  const Schedule schedule = variant.races ? Schedule::preemptive : Schedule::forward;
  Module& module = bench.modules.compiled(bench.files.of(variant), schedule);
  auto kernel = module.kernel(variant.kernel, bench.prepared.problem.parameters.signature);
  const LaunchRequest request{.size = bench.prepared.settings.size,
                              .block_size = block_size,
                              .resident_blocks = bench.device.resident_blocks(*kernel, block_size, 0)};
  return {std::move(kernel), variant.launch(request)};
}

void launch(const Workbench& bench, const Planned& planned) {
  bench.device.launch(*planned.kernel, planned.launch.config, bench.arrays.arguments(), bench.stream);
}

// Compares what the device computed, and looks at the guard zones. Fills in what was observed.
void validate(const Workbench& bench, const ChosenLaunch& launch, VariantResult& result) {
  const Problem& problem = bench.prepared.problem;
  WorkItems items{.launch = launch.config, .ownership = launch.ownership, .element_name = problem.element};
  if (problem.first_item)
    items.item_of = [&](std::size_t element) { return problem.first_item(bench.prepared.inputs, element); };

  Arrays actual(problem.parameters, Role::output);
  bench.arrays.read_outputs(actual);
  result.observed = Outcome::right;
  for (std::size_t i = 0; i < actual.count(); ++i) {
    const Array& expected = bench.prepared.expected[i];
    const Comparison comparison = compare(actual[i], expected, bench.tolerance);
    if (comparison.right() || result.observed == Outcome::wrong) continue;
    result.observed = Outcome::wrong;
    result.wrong_elements = comparison.wrong;
    result.first_differences = comparison.first;
    result.explanation = explain_difference(comparison, actual[i], expected, expected.before(), items);
  }
  if (const Parameter* changed = bench.arrays.changed_input(bench.prepared.inputs)) {
    result.observed = Outcome::out_of_bounds;
    result.explanation = "wrote into " + changed->name + ", which is an input";
    bench.arrays.copy_inputs(bench.prepared.inputs);  // the variants after it need them
  }
  if (const auto damaged = bench.arrays.damaged_array()) {
    result.observed = Outcome::out_of_bounds;
    result.explanation = explain_guard_hit(damaged->hit, damaged->parameter->name, damaged->parameter->length,
                                           damaged->parameter->type, items);
  }
}

// A race proves nothing by coming out right.
void comment_on_race(VariantResult& result) {
  if (result.stated != Outcome::race || result.observed != Outcome::right) return;
  result.explanation = "that proves nothing, another run or another GPU may get it wrong";
}

}  // namespace

Module& Modules::compiled(const KernelSource& source, Schedule schedule) {
  auto& module = modules_[{source.name, schedule}];
  if (!module) module = device_.compile(source, {.schedule = schedule});
  return *module;
}

VariantResult run_variant(const Workbench& bench, const Variant& variant, unsigned block_size) {
  VariantResult result{.name = variant.name,
                       .kernel = variant.kernel,
                       .stated = variant.states.at(bench.prepared.settings.size, block_size),
                       .size = bench.prepared.settings.size};
  try {
    const Planned planned = plan(bench, variant, block_size);
    result.launch = planned.launch.config;
    bench.arrays.reset();
    bench.device.synchronize(bench.stream);
    const double start_s = steady_now_s();
    launch(bench, planned);
    bench.device.synchronize(bench.stream);
    if (is_simulated(bench)) result.simulation_s = steady_now_s() - start_s;
    validate(bench, planned.launch, result);
    comment_on_race(result);
  } catch (const CompileError& error) {
    result.observed = Outcome::fails_to_compile;
    result.explanation = error.what();
    result.compiler_log = error.log();
  } catch (const LaunchError& error) {
    result.observed = Outcome::fails_to_launch;
    result.explanation = error.what();
  } catch (const DeviceError& error) {
    result.observed = Outcome::faults;
    result.lost_the_device = !is_simulated(bench) && error.leaves_device_unusable();
    result.explanation = error.what();
    if (result.lost_the_device) result.explanation += "; --device simulator shows the thread and the line";
  }
  result.notes = bench.device.take_notes();
  return result;
}

void time_variant(const Workbench& bench, const Variant& variant, unsigned block_size, double time_budget_s,
                  VariantResult& result) {
  try {
    const Planned planned = plan(bench, variant, block_size);
    StreamStopwatch stopwatch(
        bench.device, bench.stream, [&] { bench.arrays.clear_accumulators(); },
        [&] { launch(bench, planned); });
    result.kernel_cold = sample(
        stopwatch, {.time_budget_s = time_budget_s, .warm_up_s = std::min(usual_warm_up_s, time_budget_s)});
    result.warnings = timing_warnings(*result.kernel_cold);
    if (const auto warning = peak_warning(*result.kernel_cold, bench.prepared.problem.traffic,
                                          bench.device.properties().peak_bytes_per_s))
      result.warnings.push_back(*warning);

    bench.arrays.reset();
    std::vector<double> untimed;
    stopwatch.take(1, untimed);
    validate(bench, planned.launch, result);
    if (result.observed != Outcome::right)
      result.explanation = "right before it was timed, but after: " + result.explanation;
  } catch (const DeviceError& error) {
    result.observed = Outcome::faults;
    result.lost_the_device = error.leaves_device_unusable();
    result.explanation = std::string("while it was timed: ") + error.what();
  }
}

}  // namespace gpulab
