#include "run/watched_run.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>

#include "base/text.hpp"
#include "lesson/finding.hpp"
#include "run/devices.hpp"
#include "run/problems.hpp"
#include "run/sampling.hpp"
#include "run/variant_run.hpp"
#include "source/shared_arrays.hpp"

namespace gpulab::run {
namespace {

// Limit for watching every access. The size is prime, so that it fits no block.
constexpr ProblemLimit watch_limit{.items = 10007, .operations = 1e7};

constexpr device::ThreadOrder orders[] = {{device::ThreadOrder::Kind::forward},
                                          {device::ThreadOrder::Kind::reverse},
                                          {device::ThreadOrder::Kind::preempted}};

// More than enough for any kernel; exceeded only by endless loops.
constexpr std::size_t max_accesses = std::size_t{1} << 28;

// Makes the size and the sides odd: a missing bounds check shows only where they do not fit the block.
Settings with_odd_sides(const Lesson& lesson, Settings settings) {
  const auto make_odd = [](std::uint64_t& count) { count -= count > 0 && count % 2 == 0 ? 1 : 0; };
  make_odd(settings.size);
  for (const std::string& side : lesson.sides) make_odd(std::get<std::uint64_t>(settings.options.at(side)));
  return settings;
}

// Halves a size that is too large to watch. It then fits the block where the size asked for does.
Settings with_halved_size(Settings settings) {
  while (settings.size > watch_limit.items) settings.size /= 2;
  return settings;
}

}  // namespace

WatchedRun run_watched(const RunContext& context, VariantTask task) {
  device::Instruments& instruments = *context.device.instruments();
  task.instrumentation = device::Instrumentation::checked;
  WatchedRun run{.result = run_variant(context, task)};
  std::vector<Defect> found = instruments.take_defects();
  source::add_names_and_dimensions(found, context.files.of(task.variant).text);
  // A wrong mask is a note if no store of the undefined value was found. It explains a wrong result even so.
  const bool is_stored = std::ranges::any_of(
      found, [](const Defect& defect) { return defect.kind == DefectKind::wrong_mask && !defect.is_note; });
  if (run.result.observed == Outcome::wrong && !is_stored)
    for (Defect& defect : found)
      if (defect.kind == DefectKind::wrong_mask) defect.is_note = false;
  run.defects = by_severity(std::move(found));
  const Outputs& outputs = context.prepared.expected;
  if (const std::vector<Difference>& wrong = run.result.first_differences;
      !wrong.empty() && outputs.count() == 1)
    run.line_of_store = instruments.line_of_store(context.arrays.address_of(outputs.at(0).name()) +
                                                  wrong.front().index * size_of(outputs.at(0).type()));
  if (!run.defects.empty())
    run.worst = explanation_of(run.defects.front(),
                               [&](std::uintptr_t address) { return context.arrays.element_at(address); });
  return run;
}

struct VariantWatch::Simulation {
  Simulation(const Lesson& lesson, const KernelFiles& files, device::Device& simulator, const Settings& sizes,
             const std::optional<Tolerance>& tolerance)
      : device(simulator), problems(lesson, files, simulator) {
    if (auto small = smaller_problem(lesson, sizes, watch_limit))
      context = &problems.make(std::move(small->problem), small->settings, tolerance);
  }

  device::Device& device;
  ProblemCache problems;
  RunContext* context = nullptr;  // none if no problem is small enough
};

namespace {

// Opens the simulator that is used beside a GPU; returns none if kernels cannot be compiled for it.
std::unique_ptr<device::Device> opened_simulator(device::CompileCache& cache, std::string& why_not) {
  try {
    return open_simulator(cache);
  } catch (const device::DeviceError& error) {
    why_not = error.what();
    return nullptr;
  }
}

}  // namespace

VariantWatch::VariantWatch(const Lesson& lesson, const KernelFiles& files, const Settings& asked,
                           device::Device& device, WatchedSizes sizes,
                           const std::optional<Tolerance>& tolerance)
    : lesson_(lesson), files_(files), asked_(asked), device_(device), sizes_(sizes), tolerance_(tolerance) {}
VariantWatch::~VariantWatch() = default;

VariantWatch::Simulation* VariantWatch::simulation(const Variant& variant) {
  if (variant.needs || !variant.library.empty() || variant.on_each_rank) return nullptr;
  if (!simulation_ && why_not_.empty()) {
    if (!device_.properties().simulated()) {
      cache_ = std::make_unique<device::CompileCache>();
      simulator_ = opened_simulator(*cache_, why_not_);
    }
    device::Device* const watching = device_.properties().simulated() ? &device_ : simulator_.get();
    if (watching)
      simulation_ = std::make_unique<Simulation>(
          lesson_, files_, *watching,
          sizes_ == WatchedSizes::odd ? with_odd_sides(lesson_, asked_) : with_halved_size(asked_),
          tolerance_);
    if (simulation_ && !simulation_->context) why_not_ = "no smaller problem would be quick enough";
  }
  return simulation_ && simulation_->context ? simulation_.get() : nullptr;
}

std::optional<LaunchContext> VariantWatch::context(const Variant& variant, unsigned block_size) {
  const Simulation* const simulation = this->simulation(variant);
  if (!simulation) return std::nullopt;
  return simulation->context->launch_context(block_size);
}

std::optional<WatchedRun> VariantWatch::watch(const Variant& variant, unsigned block_size) {
  Simulation* const simulation = this->simulation(variant);
  if (!simulation) return std::nullopt;
  device::Instruments& instruments = *simulation->device.instruments();
  instruments.set_max_accesses(max_accesses);
  WatchedRun run;
  for (const device::ThreadOrder& order : orders) {
    simulation->context->modules.restore_variables(simulation->context->stream);
    instruments.begin_run(order);
    WatchedRun next = run_watched(*simulation->context, {.variant = variant, .block_size = block_size});
    const bool is_last = !next.defects.empty() || next.result.failure;
    if (is_last || run.result.observed != Outcome::wrong) run = std::move(next);
    if (is_last) break;
  }
  instruments.begin_run({});
  instruments.set_max_accesses(0);
  instruments.take_notes();
  return run;
}

void blame_kernel_for_stop(VariantResult& result) {
  if (result.observed != Outcome::faults || result.as_expected() || !result.failure ||
      result.failure->kind == DefectKind::other)
    return;
  result.observed = Outcome::defect;
  const std::string& complaint = result.failure->complaint;
  result.explanation =
      fmt::format("kernel {} was stopped: {}; see gpulab explain {}", result.kernel,
                  complaint.empty() ? result.explanation : complaint, name_of(result.failure->kind));
}

std::optional<VariantResult> defect_of_edited(VariantWatch& watch, const Variant& variant,
                                              unsigned block_size) {
  if (variant.races) return std::nullopt;
  const auto context = watch.context(variant, block_size);
  if (!context || variant.expects.at(*context) != Outcome::right) return std::nullopt;
  std::optional<WatchedRun> run = watch.watch(variant, block_size);
  if (!run) return std::nullopt;
  VariantResult defect = std::move(run->result);
  if (run->defects.empty()) {
    blame_kernel_for_stop(defect);
    return defect.observed == Outcome::defect || defect.observed == Outcome::wrong
               ? std::optional(std::move(defect))
               : std::nullopt;
  }
  defect.observed = Outcome::defect;
  defect.failure = Failure{.kind = run->defects.front().kind, .line = run->defects.front().party.line};
  defect.explanation = run->worst;
  return defect;
}

namespace {

class LessonInspection {
 public:
  LessonInspection(const Lesson& lesson, const RunOptions& options, const KernelFiles& files,
                   device::Device& simulator)
      : lesson_(lesson),
        options_(options),
        files_(files),
        simulator_(simulator),
        problems_(lesson, files, simulator) {}

  // Counts accesses. If `watched`, checks every access for defects too, in a separate run.
  Inspection run(bool watched) {
    Problem asked = lesson_.problem(options_.settings);
    const std::size_t asked_size = asked.work_items().volume();
    auto [settings, problem] = made_small_enough(std::move(asked));
    problems_.make(std::move(problem), settings);
    Inspection inspection{.lesson = lesson_.name,
                          .title = lesson_.title,
                          .seed = settings.seed,
                          .options = settings.options,
                          .asked_size = asked_size};
    refuse_variants_for_several();
    for (const Variant& variant : chosen_variants(lesson_, options_)) {
      if (variant.on_each_rank || !why_left_out(variant, options_, simulator_).empty()) continue;
      options_.progress(variant.name);
      inspection.variants.push_back(inspected(variant, watched));
    }
    return inspection;
  }

 private:
  // Refuses variants for several devices, because accesses are counted on one.
  void refuse_variants_for_several() const {
    const std::vector<Variant> chosen = chosen_variants(lesson_, options_);
    const auto is_for_several = [](const Variant& variant) { return variant.on_each_rank != nullptr; };
    const auto first = std::ranges::find_if(chosen, is_for_several);
    const bool is_asked_for = !options_.variants.empty() && first != chosen.end();
    if (!is_asked_for && !std::ranges::all_of(chosen, is_for_several)) return;
    throw UsageError(
        "gpulab inspect counts what one device does, and " +
        (is_asked_for ? "'" + first->name + "' runs" : "all variants of " + lesson_.name + " run") +
        " on several");
  }

  MadeProblem made_small_enough(Problem asked) {
    if (inspect_limit.allows(asked)) return {options_.settings, std::move(asked)};
    const std::size_t items = asked.work_items().volume();
    if (auto smaller = smaller_problem(lesson_, options_.settings, inspect_limit)) return std::move(*smaller);
    throw UsageError(fmt::format(
        "counting every access of {} work items of {} would take too long: ask for a smaller problem",
        grouped(items), lesson_.name));
  }

  VariantInspection inspected(const Variant& variant, bool watched) {
    const RunContext& context = variant.max_size ? problems_.at_most(*variant.max_size) : problems_.asked();
    const device::KernelSource& source = files_.of(variant);
    VariantInspection inspection{
        .problem = context.prepared.problem.description, .file = source.name, .source = source.text};
    const VariantTask task{.variant = variant,
                           .block_size = options_.block_size.value_or(variant.block.threads),
                           .instrumentation = device::Instrumentation::counted};
    if (watched) watch(context, task, inspection);
    if (watched && !is_counted(inspection)) return inspection;
    simulator_.instruments()->take_access_counts();
    VariantResult counted = run_variant(context, task);
    inspection.counts = simulator_.instruments()->take_access_counts();
    for (LineAccesses& accesses : inspection.counts.lines)
      if (const LaneAddresses& sample = accesses.costliest.addresses; sample.lanes != 0) {
        const auto first_lane = static_cast<std::size_t>(std::countr_zero(sample.lanes));
        accesses.element = context.arrays.element_at(sample.of_lane[first_lane]).element;
      }
    const bool was_found_wrong = watched && !inspection.result.as_expected();
    if (!was_found_wrong || !ran_to_its_end(counted.observed)) inspection.result = std::move(counted);
    // Running one thread after another hides a race.
    if (variant.races && is_counted(inspection)) inspection.result.expected = Outcome::race;
    return inspection;
  }

  // Runs the task watched. A kernel with a defect is wrong, whatever its result.
  static void watch(const RunContext& context, const VariantTask& task, VariantInspection& inspection) {
    WatchedRun run = run_watched(context, task);
    inspection.result = std::move(run.result);
    if (run.defects.empty()) return;
    inspection.defect = std::move(run.defects.front());
    if (!ran_to_its_end(inspection.result.observed)) return;
    inspection.result.observed = Outcome::wrong;
    inspection.result.explanation = run.worst;
  }

  const Lesson& lesson_;
  const RunOptions& options_;
  const KernelFiles& files_;
  device::Device& simulator_;
  ProblemCache problems_;
};

}  // namespace

Inspection inspect_lesson(const Lesson& lesson, const RunOptions& options, const KernelFiles& files,
                          device::Device& simulator) {
  check_options(lesson, options);
  return LessonInspection(lesson, options, files, simulator).run(/*watched=*/false);
}

Inspection inspect_replaced(const Lesson& lesson, RunOptions options, const device::KernelSource& learners,
                            device::Device& simulator) {
  options.variants = {lesson.solution};
  check_options(lesson, options);
  KernelFiles files(lesson, options.kernels);
  files.replace(lesson.file_of(find_variant(lesson, lesson.solution)), learners);
  return LessonInspection(lesson, options, files, simulator).run(/*watched=*/true);
}

}  // namespace gpulab::run
