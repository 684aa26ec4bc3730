#include "run/inspect_lesson.hpp"

#include <algorithm>

#include "core/defect.hpp"
#include "core/text.hpp"
#include "run/problem_cache.hpp"
#include "run/variant_run.hpp"
#include "run/watched_run.hpp"

namespace gpulab::run {
namespace {

class LessonInspection {
 public:
  LessonInspection(const Lesson& lesson, const RunOptions& options, const KernelFiles& files,
                   device::Device& simulator)
      : lesson_(lesson),
        options_(options),
        files_(files),
        simulator_(simulator),
        stream_(simulator.create_stream()),
        problems_(lesson, files, simulator, *stream_) {}

  // Watched: every access is also checked for defects, in a run of its own.
  Inspection run(bool watched) {
    Problem asked = lesson_.problem(options_.settings);
    const std::size_t asked_size = asked.work_items().volume();
    auto [settings, problem] = made_small_enough(std::move(asked));
    const Tolerance tolerance = problem.tolerance;
    problems_.make(std::move(problem), settings, tolerance);
    Inspection inspection{.lesson = lesson_.name,
                          .title = lesson_.title,
                          .seed = settings.seed,
                          .options = settings.options,
                          .asked_size = asked_size};
    refuse_what_takes_several();
    for (const Variant& variant : chosen_variants(lesson_, options_)) {
      if (variant.on_each_rank || !why_left_out(variant, options_, simulator_).empty()) continue;
      options_.progress(variant.name);
      inspection.variants.push_back(inspected(variant, watched));
    }
    return inspection;
  }

 private:
  // Accesses are counted on one device.
  void refuse_what_takes_several() const {
    const std::vector<Variant> chosen = chosen_variants(lesson_, options_);
    const auto takes_several = [](const Variant& variant) { return variant.on_each_rank != nullptr; };
    const auto first = std::ranges::find_if(chosen, takes_several);
    const bool is_asked_for = !options_.variants.empty() && first != chosen.end();
    if (!is_asked_for && !std::ranges::all_of(chosen, takes_several)) return;
    throw UsageError(
        "gpulab inspect counts what one device does, and " +
        (is_asked_for ? "'" + first->name + "' runs" : "all variants of " + lesson_.name + " run") +
        " on several");
  }

  MadeProblem made_small_enough(Problem asked) {
    if (to_inspect.allows(asked)) return {options_.settings, std::move(asked)};
    const std::size_t items = asked.work_items().volume();
    if (auto smaller = smaller_problem(lesson_, options_.settings, to_inspect)) return std::move(*smaller);
    throw UsageError("counting every access of " + grouped(items) + " work items of " + lesson_.name +
                     " would take too long: ask for a smaller problem");
  }

  VariantInspection inspected(const Variant& variant, bool watched) {
    const RunContext& context = variant.max_size ? problems_.at_most(*variant.max_size) : problems_.asked();
    const device::KernelSource& source = files_.of(variant);
    VariantInspection inspection{
        .problem = context.prepared.problem.description, .file = source.name, .source = source.text};
    const VariantTask task{.variant = variant,
                           .block_size = options_.block_size.value_or(variant.block.threads),
                           .instrumentation = device::Instrumentation::counted};
    if (watched) inspection.result = watch(context, task);
    if (watched && !is_counted(inspection)) return inspection;
    simulator_.instruments()->take_access_counts();
    VariantResult counted = run_variant(context, task);
    inspection.counts = simulator_.instruments()->take_access_counts();
    if (inspection.result.as_expected() || !ran_to_its_end(counted.observed) || !watched)
      inspection.result = std::move(counted);
    // One thread after another, nothing shows of a race.
    if (variant.races && is_counted(inspection)) inspection.result.expected = Outcome::race;
    return inspection;
  }

  // A kernel with a defect is wrong, whatever came out.
  static VariantResult watch(const RunContext& context, const VariantTask& task) {
    WatchedRun run = run_watched(context, task);
    if (run.defects.empty() || !ran_to_its_end(run.result.observed)) return run.result;
    run.result.observed = Outcome::wrong;
    run.result.explanation = run.worst;
    return run.result;
  }

  const Lesson& lesson_;
  const RunOptions& options_;
  const KernelFiles& files_;
  device::Device& simulator_;
  std::unique_ptr<device::Stream> stream_;
  ProblemCache problems_;
};

}  // namespace

Inspection inspect_lesson(const Lesson& lesson, const RunOptions& options, const KernelFiles& files,
                          device::Device& simulator) {
  check_options(lesson, options);
  return LessonInspection(lesson, options, files, simulator).run(false);
}

Inspection inspect_replaced(const Lesson& lesson, RunOptions options, const device::KernelSource& learners,
                            device::Device& simulator) {
  options.variants = {lesson.solution};
  check_options(lesson, options);
  KernelFiles files(lesson, options.kernels);
  files.replace(lesson.file_of(find_variant(lesson, lesson.solution)), learners);
  return LessonInspection(lesson, options, files, simulator).run(true);
}

}  // namespace gpulab::run
