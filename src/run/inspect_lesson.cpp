#include "run/inspect_lesson.hpp"

#include "core/defect_gravity.hpp"
#include "run/problem_cache.hpp"
#include "run/count_settings.hpp"
#include "run/variant_run.hpp"

namespace gpulab {
namespace {

class LessonInspection {
 public:
  LessonInspection(const Lesson& lesson, const RunOptions& options, const KernelFiles& files,
                   Device& simulator)
      : lesson_(lesson),
        options_(options),
        files_(files),
        simulator_(simulator),
        settings_(settings_to_count_at(lesson, options.settings)),
        stream_(simulator.create_stream()),
        problems_(lesson, files, simulator, *stream_) {}

  // Watched: every access is also checked for defects, in a run of its own.
  Inspection run(bool watched) {
    Problem problem = lesson_.problem(settings_);
    const Tolerance tolerance = problem.tolerance;
    problems_.make(std::move(problem), settings_, tolerance);
    Inspection inspection{
        .lesson = lesson_.name,
        .title = lesson_.title,
        .seed = settings_.seed,
        .options = settings_.options,
        .asked_size = work_of(lesson_.problem(options_.settings), options_.settings).volume()};
    for (const Variant& variant : chosen_variants(lesson_, options_)) {
      if (!why_left_out(variant, options_, simulator_).empty()) continue;
      options_.progress(variant.name);
      inspection.variants.push_back(inspected(variant, watched));
    }
    return inspection;
  }

 private:
  VariantInspection inspected(const Variant& variant, bool watched) {
    const RunContext& context = problems_.at_most(variant.max_size.value_or(settings_.size));
    const KernelSource& source = files_.of(variant);
    VariantInspection inspection{
        .problem = context.prepared.problem.description, .file = source.name, .source = source.text};
    const VariantTask task{.variant = variant,
                           .block_size = options_.block_size.value_or(variant.block.threads),
                           .schedule = Schedule::counted};
    if (watched) inspection.result = watch(context, task);
    if (watched && !is_counted(inspection)) return inspection;
    simulator_.take_access_counts();
    VariantResult counted = run_variant(context, task);
    inspection.counts = simulator_.take_access_counts();
    if (inspection.result.as_expected() || !ran_to_its_end(counted.observed) || !watched)
      inspection.result = std::move(counted);
    // One thread after another, nothing shows of a race.
    if (variant.races && is_counted(inspection)) inspection.result.expected = Outcome::race;
    return inspection;
  }

  // A kernel with a defect is wrong, whatever came out.
  VariantResult watch(const RunContext& context, VariantTask task) {
    task.schedule = Schedule::checked;
    simulator_.take_defects();
    VariantResult result = run_variant(context, task);
    const std::vector<Defect> defects = by_gravity(simulator_.take_defects());
    if (defects.empty() || !ran_to_its_end(result.observed)) return result;
    result.observed = Outcome::wrong;
    result.explanation = explanation_of(
        defects.front(), [&](std::uintptr_t address) { return context.arrays.element_at(address); });
    return result;
  }

  const Lesson& lesson_;
  const RunOptions& options_;
  const KernelFiles& files_;
  Device& simulator_;
  Settings settings_;
  std::unique_ptr<Stream> stream_;
  ProblemCache problems_;
};

}  // namespace

Inspection inspect_lesson(const Lesson& lesson, const RunOptions& options, const KernelFiles& files,
                          Device& simulator) {
  check_options(lesson, options);
  return LessonInspection(lesson, options, files, simulator).run(false);
}

Inspection inspect_replaced(const Lesson& lesson, RunOptions options, const KernelSource& learners,
                            Device& simulator) {
  options.variants = {lesson.solution};
  check_options(lesson, options);
  KernelFiles files(lesson, options.kernels);
  files.replace(lesson.file_of(find_variant(lesson, lesson.solution)), learners);
  return LessonInspection(lesson, options, files, simulator).run(true);
}

}  // namespace gpulab
