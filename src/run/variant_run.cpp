#include "run/variant_run.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <cctype>
#include <iterator>
#include <random>

#include "base/lists.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "lesson/words.hpp"
#include "run/architectures.hpp"
#include "run/sampling.hpp"
#include "run/stopwatches.hpp"

namespace gpulab::run {
namespace {

// Architectures of a T4, the GPU of the course's notebooks, and of an H100.
constexpr const char* usual_architectures[] = {"sm_75", "sm_90"};

// Returns registers, local memory and spills per thread of the variant's kernel, for the architectures that
// were asked for, or else for the device's. For the simulator, these are the usual architectures of GPUs.
// Without NVRTC, returns no figures for architectures.
std::vector<Figure> register_figures(const RunContext& context, const VariantTask& task,
                                     VariantExecution& execution, std::vector<std::string>& warnings) {
  if (task.architectures.empty() && !context.is_simulated())
    return attribute_figures(execution.attributes(), "");
  std::vector<std::string> architectures = task.architectures;
  if (architectures.empty())
    architectures.assign(std::begin(usual_architectures), std::end(usual_architectures));
  std::vector<Figure> figures;
  device::CompileCache cache;
  for (const std::string& architecture : architectures) {
    // A compiler for an absent device must not affect the variant's outcome.
    try {
      append(figures, compiled_figures(architecture, context.files.of(task.variant), task.variant.kernel,
                                       execution.arguments().signature(), cache));
    } catch (const std::runtime_error& error) {
      if (!task.architectures.empty())
        warnings.push_back(fmt::format("not shown for {}: {}", architecture, error.what()));
    }
  }
  return figures;
}

double value_of(AccessMetric metric, const AccessCounts& counts) {
  switch (metric) {
    case AccessMetric::sectors_per_load:
      return sectors_per_request(counts, AccessKind::global_load);
    case AccessMetric::sectors_per_store:
      return sectors_per_request(counts, AccessKind::global_store);
    case AccessMetric::lanes_per_request:
      return active_lanes_per_request(counts);
    case AccessMetric::bank_conflict_ways_per_load:
      return wavefronts_per_request(counts, AccessKind::shared_load);
    case AccessMetric::bank_conflict_ways_per_store:
      return wavefronts_per_request(counts, AccessKind::shared_store);
    default:
      return max_same_address_per_request(counts);
  }
}

constexpr const char* rate_to_device = "to the device";
constexpr const char* rate_to_host = "to the host";

// Returns the time during which at least one span was active.
double busy_s(std::vector<Span> spans) {
  std::ranges::sort(spans, {}, &Span::start_s);
  double total_s = 0, until_s = 0;
  for (const Span& span : spans) {
    total_s += std::max(0.0, span.end_s - std::max(until_s, span.start_s));
    until_s = std::max(until_s, span.end_s);
  }
  return total_s;
}

void add_copy_rate(const Timeline& timeline, Span::Kind direction, const std::string& name,
                   std::vector<Figure>& figures) {
  std::vector<Span> copies;
  double bytes = 0;
  for (const Span& span : timeline) {
    if (span.kind != direction) continue;
    copies.push_back(span);
    bytes += span.bytes;
  }
  const double seconds = busy_s(std::move(copies));
  if (seconds > 0) figures.push_back({name, bytes / seconds * 1e-9, "GB/s"});
}

}  // namespace

std::vector<Figure> copy_rate_figures(const Timeline& timeline) {
  std::vector<Figure> figures;
  add_copy_rate(timeline, Span::Kind::to_device, rate_to_device, figures);
  add_copy_rate(timeline, Span::Kind::to_host, rate_to_host, figures);
  return figures;
}

std::vector<Figure> link_figures(const std::vector<Figure>& copy_rates, const TransferResult& link) {
  const double up = link.bytes_to_device / link.to_device.median_s * 1e-9;  // GB/s
  const double down = link.bytes_to_host / link.to_host.median_s * 1e-9;
  std::vector<Figure> figures;
  for (const Figure& rate : copy_rates) {
    if (rate.name == rate_to_device) figures.push_back({"of the link up", 100 * rate.value / up, "%"});
    if (rate.name == rate_to_host) figures.push_back({"of the link down", 100 * rate.value / down, "%"});
  }
  return figures;
}

AccessCounts count_accesses(const RunContext& context, VariantExecution& execution) {
  execution.reset();
  execution.prepare_run();
  context.device.instruments()->take_access_counts();
  execution.run();
  context.device.synchronize(context.stream);
  return context.device.instruments()->take_access_counts();
}

std::vector<Figure> access_figures(const AccessCounts& counts, const std::vector<AccessMetric>& metrics) {
  std::vector<Figure> figures;
  for (const AccessMetric metric : metrics)
    if (const double value = value_of(metric, counts); value > 0)
      figures.push_back({std::string(name_of(metric)), value});
  return figures;
}

namespace {

constexpr AccessKind all_kinds[] = {AccessKind::global_load,   AccessKind::global_store,
                                    AccessKind::global_atomic, AccessKind::shared_load,
                                    AccessKind::shared_store,  AccessKind::shared_atomic};

void add_counts(AccessKind kind, const AccessSums& sums, std::map<std::string, std::uint64_t>& counts) {
  if (sums.requests == 0) return;
  const std::string name = identifier(kind);
  counts[name + "_requests"] = sums.requests;
  counts[name + "_active_lanes"] = sums.active_lanes;
  if (is_shared(kind)) {
    counts[name + "_wavefronts"] = sums.bank_wavefronts;
  } else {
    counts[name + "_sectors"] = sums.sectors;
    counts[name + "_bytes"] = sums.bytes;
  }
  if (is_atomic(kind)) counts[name + "_lanes_at_one_address"] = sums.max_same_address;
}

constexpr const char* name_of_fiber_switches = "fiber_switches";

// Returns the sums by name: "global_load_sectors", "shared_store_wavefronts", ...
std::map<std::string, std::uint64_t> named_counts(const AccessCounts& counts) {
  std::map<std::string, std::uint64_t> named;
  for (const AccessKind kind : all_kinds) add_counts(kind, sums_of(counts, kind), named);
  return named;
}

}  // namespace

std::vector<std::string> names_of_counts() {
  std::map<std::string, std::uint64_t> counts{{name_of_fiber_switches, 0}};
  for (const AccessKind kind : all_kinds) add_counts(kind, {.requests = 1}, counts);
  std::vector<std::string> names;
  for (const auto& [name, count] : counts) names.push_back(name);
  return names;
}

// Warm-up in which an idle GPU raises its clocks.
constexpr double default_warm_up_s = 0.1;

Timing sampled(Stopwatch& stopwatch, double budget_s) {
  return sample(stopwatch, {.time_budget_s = budget_s, .warm_up_s = std::min(default_warm_up_s, budget_s)});
}

VariantResult begun_result(const RunContext& context, const Variant& variant, unsigned block_size) {
  const LaunchContext launch_context = context.launch_context(block_size);
  VariantResult result{.name = variant.name, .kernel = variant.kernel};
  result.expected = variant.expects.at(launch_context);
  result.size = launch_context.size();
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
  // A GPU's driver writes what kernels print to stdout, into the report or another process's input.
  std::optional<CapturedOutput> driver_output;
  if (!context_.is_simulated()) driver_output.emplace(STDOUT_FILENO);
  attempt(Stage::checked, [this] { check(); });
  add_defects();
  if (task_.time_budget_s && result_.observed == Outcome::right && result_.expected == Outcome::right) {
    const bool was_judged = attempt(Stage::timed, [this] { take_time(*task_.time_budget_s); });
    if (result_.observed != Outcome::right) {
      result_.kernel_cold.reset();
      if (was_judged) result_.explanation = "right when checked, but not when timed: " + result_.explanation;
    }
  }
  free_resources();
  if (driver_output) result_.printed = driver_output->take();
  for (device::Device* const device : devices_)
    if (device::Instruments* const instruments = device->instruments()) {
      append(result_.notes, instruments->take_notes());
      result_.printed += instruments->take_output();
    }
  constexpr std::size_t max_printed_bytes = std::size_t{1} << 16;
  result_.printed.resize(std::min(result_.printed.size(), max_printed_bytes));
  return std::move(result_);
}

namespace {

// Returns a word by which a kernel file keeps data in the L2 cache, in spite of eviction; "" if it has none.
std::string cache_keeping_word(std::string text) {
  std::erase_if(text, [](unsigned char c) { return c == '"' || std::isspace(c); });
  for (const char* const word : {"evict_last", "access_property"})
    if (text.find(word) != std::string::npos) return word;
  return "";
}

// Adds that a right result does not disprove a race.
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

  void free_resources() override {
    timed_results_.reset();
    execution_.reset();
  }

  void check() override {
    execution_.emplace(context_, task_.variant, task_.block_size,
                       task_.instrumentation.value_or(default_instrumentation(task_.variant)));
    use_outputs(run_and_judge());
    if (task_.with_counts && result_.observed == Outcome::right) take_counts();
    take_figures();
  }

  void use_outputs(Outputs outputs) {
    comment_on_race(result_);
    if (result_.observed != Outcome::right || !result_.computes_all) return;
    const Problem& problem = context_.prepared.problem;
    if (problem.findings) result_.findings = problem.findings(context_.prepared.inputs, outputs);
    if (task_.when_right) task_.when_right(std::move(outputs));
  }

  Outputs run_and_judge() {
    execution_->reset();
    if (task_.variant.copies_inputs_from) context_.arrays.poison_inputs();
    execution_->prepare_run();
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

  void take_counts() {
    result_.counts[name_of_fiber_switches] = context_.device.instruments()->take_fiber_switches();
    VariantExecution counted(context_, task_.variant, task_.block_size, device::Instrumentation::counted);
    result_.counts.merge(named_counts(count_accesses(context_, counted)));
    judge(context_, task_.variant, counted, result_);
    if (result_.observed != Outcome::right) {
      result_.explanation = "right when checked, but not when counting accesses: " + result_.explanation;
      return;
    }
    run_and_judge();
    if (result_.observed != Outcome::right)
      result_.explanation = "right when it first ran, but not when it ran again: " + result_.explanation;
  }

  void take_figures() {
    if (task_.with_registers && !task_.variant.kernel.empty())
      add(register_figures(context_, task_, *execution_, result_.warnings));
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
    watch_timed_results();
    if (context_.is_simulated())
      take_launch_time(budget_s);
    else
      take_time_on_gpu(budget_s);
  }

  // Compares each timed launch, unless its results are on the host or there is no room for the expected ones.
  void watch_timed_results() {
    if (task_.variant.copies_inputs_from) return;
    try {
      timed_results_.emplace(context_, task_.variant);
    } catch (const device::DeviceError& error) {
      if (error.name() != "CUDA_ERROR_OUT_OF_MEMORY") throw;
    }
  }

  void compare_timed() {
    if (timed_results_) timed_results_->compare();
  }

  // Judges further launches, with all that they leave in memory. A kernel cannot tell them from the timed
  // ones, nor count up to them, since a random number of launches comes before each.
  void judge_timed(Stopwatch& stopwatch, double median_s, double budget_s) {
    // Returns how many launches take that time: at least 1, at most `max`.
    const auto launches_in = [&](double seconds, double max) {
      return static_cast<unsigned>(std::clamp(seconds / median_s, 1.0, max));
    };
    std::random_device random;
    std::vector<double> unused;
    const unsigned judged = timed_results_ ? 1 : launches_in(budget_s / 5, 3);
    for (unsigned i = 0; i < judged && result_.observed == Outcome::right; ++i) {
      stopwatch.take(random() % launches_in(budget_s / 20, 16), unused);
      execution_->reset();
      stopwatch.take(1, unused);
      judge(context_, task_.variant, *execution_, result_);
    }
    const std::uint32_t wrong = timed_results_ ? timed_results_->wrong_elements() : 0;
    if (wrong == 0 || result_.observed != Outcome::right) return;
    result_.observed = Outcome::wrong;
    result_.wrong_elements = wrong;
    result_.explanation = grouped(wrong) + " elements that timed launches left were wrong";
  }

  void take_time_on_gpu(double budget_s) {
    StreamStopwatch stopwatch(
        context_.device, context_.stream, [&] { execution_->prepare_run(); }, [&] { execution_->run(); },
        [&] { compare_timed(); });
    const std::string word =
        task_.variant.library.empty() ? cache_keeping_word(context_.files.of(task_.variant).text) : "";
    if (!word.empty()) {
      result_.warnings.push_back("not timed: its file has '" + word +
                                 "', which keeps data in the L2 cache, so that no launch would be cold");
      return;
    }
    result_.kernel_cold = sampled(stopwatch, budget_s);
    result_.clock_hz = context_.device.current_clock_hz();
    result_.warnings = timing_warnings(*result_.kernel_cold);
    judge_timed(stopwatch, result_.kernel_cold->median_s, budget_s);
    if (task_.with_steady_time && result_.observed == Outcome::right) {
      take_launch_time(budget_s / 2);
      take_steady_time(budget_s);
    }
    if (result_.computes_all)
      if (const auto warning = peak_warning(*result_.kernel_cold, context_.prepared.problem.min_traffic(),
                                            context_.device.properties().peak_bytes_per_s))
        result_.warnings.push_back(*warning);
  }

  // Times a launch by a clock that is started before it and stopped when it is done.
  void take_launch_time(double budget_s) {
    WallStopwatch stopwatch(
        context_.device, context_.stream, [&] { execution_->prepare_run(); }, [&] { execution_->run(); },
        [&] { compare_timed(); });
    result_.launch_wall = sample(stopwatch, {.time_budget_s = budget_s, .warm_up_s = 0.01});
    judge_timed(stopwatch, result_.launch_wall->median_s, budget_s);
  }

  // Returns why a launch that follows another may do less than one alone; "" if it does as much.
  std::string why_not_in_a_row() {
    if (context_.modules.has_changed_variable(context_.stream))
      return "a __device__ variable keeps something from launch to launch";
    if (!replaces_or_adds(context_, task_.variant, *execution_))
      return "the result depends on what the outputs held before the launch";
    return "";
  }

  // Shortest time to measure energy in: a GPU's counter moves too rarely for a shorter one.
  static constexpr double min_budget_for_energy_s = 0.25;

  // Takes samples of some milliseconds. Variants that wait for the device cannot be captured, and get none.
  void take_steady_time(double budget_s) {
    if (const std::string why = why_not_in_a_row(); !why.empty()) {
      result_.warnings.push_back("no steady time and no energy: " + why);
      return;
    }
    constexpr double sample_s = 0.005, max_runs = 200;
    const double runs = std::clamp(sample_s / result_.kernel_cold->median_s, 1.0, max_runs);
    try {
      GraphStopwatch stopwatch(context_.device, context_.stream, static_cast<std::size_t>(runs),
                               [&] { execution_->run(); });
      if (!stopwatch.can_take()) return;
      result_.kernel_steady = sampled(stopwatch, budget_s);
      if (budget_s < min_budget_for_energy_s) return;
      result_.energy = measure_energy(stopwatch, static_cast<std::size_t>(runs),
                                      [&] { return context_.device.energy_j(); });
    } catch (const device::DeviceError& error) {
      if (error.name().find("STREAM_CAPTURE") == std::string::npos) throw;
    }
  }

  std::optional<VariantExecution> execution_;  // none until compiled
  std::optional<TimedResults> timed_results_;  // none until timed
};

}  // namespace

std::string missing_requirement(const Variant& variant, device::Device& device) {
  if (variant.needs && !variant.needs->is_met_by(device.properties()))
    return "it needs " + variant.needs->text();
  if (variant.library.empty()) return "";
  if (device.properties().simulated()) return "it needs a GPU";
  if (!device.offers(variant.library))
    return "the library of " + variant.library + " is not here; 'gpulab doctor' says why";
  return "";
}

std::string why_left_out(const Variant& variant, const RunOptions& options, device::Device& device) {
  const std::string lack = missing_requirement(variant, device);
  if (!lack.empty() && contains(options.variants, variant.name))
    throw Error(ExitCode::device, fmt::format("variant '{}' cannot run here: {}", variant.name, lack));
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
    result.expected = Outcome::not_run;  // as observed: a library may refuse a problem, which is no failure
    result.explanation = refusal.what();
  } catch (const device::LaunchError& error) {
    result.observed = Outcome::fails_to_launch;
    result.explanation = error.what();
    result.failure = error.failure();
    if (result.failure->kind == DefectKind::other) result.failure->kind = DefectKind::launch_refused;
  } catch (const device::DeviceError& error) {
    result.observed = Outcome::faults;
    result.failure = error.failure();
    result.failure->complaint = error.explanation();
    result.lost_the_device = !is_simulated && error.leaves_device_unusable();
    result.explanation = error.what();
    if (result.lost_the_device) result.explanation += "; --device simulator shows the thread and the line";
  }
}

VariantResult run_variant(const RunContext& context, const VariantTask& task) {
  VariantResult result = OneDeviceRun(context, task).run();
  if (task.variant.copies_inputs_from && !result.lost_the_device)
    context.arrays.copy_inputs(context.prepared.inputs);
  return result;
}

}  // namespace gpulab::run
