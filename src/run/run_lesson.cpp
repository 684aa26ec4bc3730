#include "run/run_lesson.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "run/problems.hpp"
#include "run/ranks/lesson_ranks.hpp"
#include "run/stopwatches.hpp"
#include "run/variant_run.hpp"
#include "run/watched_run.hpp"

namespace gpulab::run {
namespace {

constexpr double default_time_budget_s = 0.5;
// On the simulator no GPU time is compared with the references, so a rough figure suffices.
constexpr double default_time_budget_simulated_s = 0.01;

}  // namespace

class LessonRun {
 public:
  LessonRun(const Lesson& lesson, const RunOptions& options, device::Device& device)
      : lesson_(lesson),
        options_(options),
        device_(device),
        files_(lesson, options.kernels),
        problems_(lesson, files_, device),
        settings_(ranks::with_gpus(options, device)) {
    // Must precede any query of resident blocks.
    if (device::Instruments* const instruments = device.instruments())
      instruments->set_in_order(options.measured.counts);
  }

  LessonResult run(Problem problem) {
    begin_to_compile();
    prepare(std::move(problem));
    run_variants();
    return std::move(result_);
  }

  // Runs outdated variants, or all, without preparing inputs and references again.
  LessonResult run_again(bool runs_all) {
    files_ = KernelFiles(lesson_, options_.kernels);
    problems_.forget_compiled();
    watch_.reset();
    if (ranks_) ranks_->forget_compiled();
    if (runs_all) file_hash_of_result_.clear();
    drop_outdated_compile_errors();
    begin_to_compile();
    if (result_.lesson.empty()) prepare(lesson_.problem(settings_));
    result_.remarks.clear();
    result_.artifacts.clear();
    run_variants();
    return result_;
  }

 private:
  void begin_to_compile() {
    if (!simulated()) return;
    for (const Variant& variant : chosen_variants(lesson_, options_))
      if (!variant.is_program && missing_requirement(variant, device_).empty() && !has_result(variant))
        problems_.begin_to_compile(variant);
  }

  // Returns whether there is a result for the file's current text.
  bool has_result(const Variant& variant) const {
    const auto found = file_hash_of_result_.find(variant.name);
    return found != file_hash_of_result_.end() && found->second == fnv1a(files_.of(variant).text);
  }

  void run_variants() {
    bool must_continue = options_.on_result(result_);
    for (const Variant& variant : chosen_variants(lesson_, options_)) {
      if (!must_continue) break;
      if (is_for_rank_0(variant) && options_.processes && options_.processes->rank() > 0) continue;
      if (!is_possible(variant) || has_result(variant)) continue;
      run(variant);
      must_continue = options_.on_result(result_);
    }
    describe_outputs();
    if (watch_ && !watch_->why_not().empty())
      result_.remarks.push_back("your kernels were not watched for races and other defects: " +
                                watch_->why_not());
    if (counted_at_ > 0 && counted_at_ < result_.size)
      result_.remarks.push_back("accesses were counted at " + grouped(counted_at_) +
                                " elements, which is enough: warps do the same everywhere");
    if (options_.gpu) add_remark_on_size(lesson_, *options_.gpu, result_);
    result_.claims =
        judge_claims(lesson_.claims, result_, [this](const Claim& claim) { return context_of(claim); });
  }

  // Returns whether a variant is for one device, so that rank 0 alone runs it. The others wait for rank 0
  // before the next collective operation.
  static bool is_for_rank_0(const Variant& variant) { return !variant.on_each_rank; }

  bool simulated() const { return device_.properties().simulated(); }
  // Returns whether kernels are timed: on NVIDIA's GPUs alone, since nobody has tried AMD's.
  bool is_timed() const { return device_.properties().kind == "cuda"; }
  double time_budget_s() const {
    return options_.time_budget_s.value_or(simulated() ? default_time_budget_simulated_s
                                                       : default_time_budget_s);
  }

  // Returns the context of a claim. Claims about counts refer to the counted size.
  LaunchContext context_of(const Claim& claim) {
    const bool was_counted = claim.kind == Claim::Kind::fewer_counted && counted_at_ > 0;
    const RunContext& context = was_counted ? *problems_.within(count_limit) : problems_.asked();
    return context.launch_context(block_size_of(find_variant(lesson_, claim.better)));
  }

  void prepare(Problem problem) {
    const std::vector<Variant> chosen = chosen_variants(lesson_, options_);
    for (const std::string& file : files_.missing())
      if (std::ranges::any_of(chosen,
                              [&](const Variant& variant) { return lesson_.file_of(variant) == file; }))
        options_.remark(missing_kernel_file(*options_.kernels, file));
    for (const auto& [file, sentence] : files_.unknown_files()) options_.remark(sentence);
    if (settings_ != options_.settings) problem = lesson_.problem(settings_);
    const bool is_too_slow = plain_takes_minutes(problem);
    if (!options_.measured.plain_reference || is_too_slow) problem.references.plain = {};
    check_size(lesson_, problem, settings_, device_.properties());
    const Tolerance tolerance{options_.relative_tolerance.value_or(problem.tolerance.relative),
                              options_.absolute_tolerance.value_or(problem.tolerance.absolute)};
    result_ = {.lesson = lesson_.name,
               .title = lesson_.title,
               .problem = problem.description,
               .size = problem.work_items().volume(),
               .seed = settings_.seed,
               .options = settings_.options,
               .tolerance = tolerance,
               .traffic = problem.min_traffic(),
               .device = device_.properties()};
    if (is_too_slow && options_.measured.plain_reference)
      result_.remarks.push_back(
          "the plain loop on one CPU thread was left out: it would take minutes (gpulab bench --one-thread takes its time)");
    options_.progress("reference");
    RunContext& context = problems_.make(std::move(problem), settings_, tolerance);
    result_.references = time_references(context.prepared, tolerance, time_budget_s());
    if (!options_.measured.host_library.empty()) time_host_library(context.prepared, tolerance);
    if (!is_timed() || !options_.measured.transfers) return;
    options_.progress("transfers");
    result_.transfers =
        time_transfers(device_, context.stream, context.arrays, context.prepared, time_budget_s());
  }

  // Returns whether the plain loop takes minutes, at some 10^9 operations a second of one thread, and OpenMP
  // can take its place.
  static bool plain_takes_minutes(const Problem& problem) {
    constexpr double operations_per_minute = 6e10;
    return problem.traffic.operations > operations_per_minute && problem.references.openmp;
  }

  void time_host_library(const PreparedProblem& prepared, const Tolerance& tolerance) {
    options_.progress(options_.measured.host_library);
    if (auto timed = run::time_host_library(options_.measured.host_library, lesson_.arguments, prepared,
                                            tolerance, time_budget_s()))
      result_.references.push_back(std::move(*timed));
  }

  // Describes the outputs of the last right variant. Without one, adds only remarks, on the expected outputs.
  void describe_outputs() {
    const PreparedProblem& prepared = problems_.asked().prepared;
    const Outputs& outputs = right_outputs_ ? *right_outputs_ : prepared.expected;
    if (prepared.problem.findings) {
      Findings findings = prepared.problem.findings(prepared.inputs, outputs);
      if (right_outputs_) result_.records = std::move(findings.records);
      append(result_.remarks, findings.remarks);
    }
    for (const ArtifactMaker& maker : prepared.problem.artifacts) {
      if (!prepared.settings.file(maker.option)) continue;
      if (right_outputs_)
        result_.artifacts.push_back({maker.option, maker.content(prepared.inputs, outputs)});
      else
        result_.remarks.push_back("nothing was written for --" + maker.option +
                                  ": no variant that computes everything came out right");
    }
  }

  // Returns whether this device can run the variant. If not, adds a remark, unless it is a library's call.
  bool is_possible(const Variant& variant) {
    const std::string lack = why_left_out(variant, options_, device_);
    if (lack.empty()) return !variant.on_each_rank || device_is_lost_ || can_run_on_ranks(variant);
    if (variant.library.empty()) result_.remarks.push_back(variant.name + " was left out: " + lack);
    return false;
  }

  bool can_run_on_ranks(const Variant& variant) {
    const bool can_run = ranks().can_run(variant);
    append(result_.remarks, ranks().take_remarks());
    return can_run;
  }

  // Returns the ranks of a lesson with variants for several devices.
  ranks::LessonRanks& ranks() {
    if (!ranks_) ranks_.emplace(lesson_, options_, settings_, device_, problems_);
    return *ranks_;
  }

  unsigned block_size_of(const Variant& variant) const {
    return options_.block_size.value_or(variant.block.threads);
  }

  RunContext& context_for(const Variant& variant) {
    if (variant.max_size) return problems_.at_most(*variant.max_size);
    if (variant.grows_with_ranks) {
      const std::size_t size_per_rank = settings_.size / settings_.count(gpus_option);
      const auto count = static_cast<std::size_t>(ranks().count_of(variant));
      return problems_.at_most(std::max<std::size_t>(1, size_per_rank * count));
    }
    if (!simulated() || variant.expects.is_always(Outcome::right)) return problems_.asked();
    // A deliberate mistake needs only a size that reveals it.
    RunContext* smaller = problems_.within(mistake_limit);
    if (!smaller) return problems_.asked();
    const LaunchContext launch_context = smaller->launch_context(block_size_of(variant));
    const bool is_wrong_there = variant.expects.at(launch_context) != Outcome::right;
    return variant.races || is_wrong_there ? *smaller : problems_.asked();
  }

  void run(const Variant& variant) {
    options_.progress(variant.name);
    store(result_of(variant));
    file_hash_of_result_[variant.name] = fnv1a(files_.of(variant).text);
  }

  // Stores the result in the order of the chosen variants, in place of an earlier result of the variant.
  void store(VariantResult result) {
    std::vector<VariantResult>& results = result_.variants;
    std::erase_if(results, [&](const VariantResult& earlier) { return earlier.name == result.name; });
    auto position = results.begin();
    for (const Variant& variant : chosen_variants(lesson_, options_)) {
      if (variant.name == result.name) break;
      if (position != results.end() && position->name == variant.name) ++position;
    }
    results.insert(position, std::move(result));
  }

  // Drops the compile errors of files that have changed since: they may compile now.
  void drop_outdated_compile_errors() {
    for (const Variant& variant : lesson_.variants)
      if (!has_result(variant))
        std::erase_if(result_.variants, [&](const VariantResult& result) {
          return result.name == variant.name && result.observed == Outcome::fails_to_compile;
        });
  }

  VariantResult result_of(const Variant& variant) {
    const unsigned block_size = block_size_of(variant);
    RunContext& context = context_for(variant);
    if (device_is_lost_) {
      VariantResult result = begun_result(context, variant, block_size);
      result.explanation = "an earlier fault left the device unusable";
      return result;
    }
    if (variant.is_program) return run_program(context, variant);
    std::optional<VariantResult> wrong_when_watched;
    if (files_.is_edited(variant)) {
      if (!watch_)
        watch_.emplace(lesson_, files_, settings_, device_, options_.watched_sizes, result_.tolerance);
      std::optional<VariantResult> found = defect_of_edited(*watch_, variant, block_size);
      if (found && found->observed == Outcome::defect) return std::move(*found);
      wrong_when_watched = std::move(found);
    }
    VariantTask to_do = task(variant, block_size, context);
    if (wrong_when_watched) to_do.when_right = {};
    if (variant.on_each_rank) {
      VariantResult result = ranks().run(to_do, context, result_, time_budget_s());
      if (simulated() && files_.is_edited(variant)) blame_kernel_for_stop(result);
      append(result_.remarks, ranks().take_remarks());
      device_is_lost_ = result.lost_the_device;
      return result;
    }
    VariantResult result = run_variant(context, to_do);
    if (wrong_when_watched && result.observed == Outcome::right) return std::move(*wrong_when_watched);
    if (simulated() && files_.is_edited(variant)) blame_kernel_for_stop(result);
    if (result_.transfers && lesson_.shows.copy_rates)
      append(result.findings.figures, link_figures(result.findings.figures, *result_.transfers));
    std::optional<AccessCounts> counts;
    if (simulated() && options_.gpu && result.observed == Outcome::right) {
      PredictedRun run = predicted(context, variant, block_size, result.launches, *options_.gpu);
      result.estimate = std::move(run.estimate);
      counts = std::move(run.counts);
    }
    if (simulated() && !lesson_.shows.accesses.empty())
      add_access_figures(variant, block_size, counts, result);
    device_is_lost_ = result.lost_the_device;
    return result;
  }

  // Adds the access figures, from `counts` if they are of this grid. If counting fails, only adds a warning.
  void add_access_figures(const Variant& variant, unsigned block_size,
                          const std::optional<AccessCounts>& counts, VariantResult& result) {
    if (result.observed != Outcome::right && result.observed != Outcome::wrong) return;
    RunContext* context = problems_.within(count_limit);
    if (!context) {
      result.warnings.push_back("its accesses are not counted: no smaller problem would be quick enough");
      return;
    }
    try {
      const auto count = [&] {
        VariantExecution counted(*context, variant, block_size, device::Instrumentation::counted);
        return count_accesses(*context, counted);
      };
      // The estimate counted the grid that the GPU would have, which may be another.
      const bool can_reuse = counts && context == &problems_.asked() && result.launches == 1 &&
                             result.launch && counts->sample.of_blocks == result.launch->grid.volume();
      const auto figures = access_figures(can_reuse ? *counts : count(), lesson_.shows.accesses);
      result.findings.figures.insert(result.findings.figures.end(), figures.begin(), figures.end());
      counted_at_ = context->prepared.problem.work_items().volume();
    } catch (const Error& error) {
      result.warnings.push_back(std::string("its accesses were not counted: ") + error.what());
    }
    device_.instruments()->take_notes();  // repeats those of the checked run
  }

  VariantTask task(const Variant& variant, unsigned block_size, const RunContext& context) {
    VariantTask task{.variant = variant,
                     .block_size = block_size,
                     .with_timeline = lesson_.shows.timeline && (is_timed() || simulated()),
                     .with_copy_rates = lesson_.shows.copy_rates && is_timed(),
                     .with_registers = lesson_.shows.registers || !options_.architectures.empty(),
                     .architectures = options_.architectures,
                     .with_steady_time = options_.measured.steady,
                     .with_counts = options_.measured.counts && simulated()};
    if (is_timed() || (simulated() && options_.measured.simulation)) task.time_budget_s = time_budget_s();
    if (&context == &problems_.asked())
      task.when_right = [this](Outputs outputs) { right_outputs_ = std::move(outputs); };
    return task;
  }

  const Lesson& lesson_;
  const RunOptions& options_;
  device::Device& device_;
  KernelFiles files_;
  ProblemCache problems_;
  Settings settings_;                                         // with the default number of GPUs filled in
  std::optional<ranks::LessonRanks> ranks_;                   // none before a variant for several devices
  std::optional<VariantWatch> watch_;                         // none before an edited kernel
  std::map<std::string, std::uint64_t> file_hash_of_result_;  // by variant, of the file it ran with
  std::optional<Outputs> right_outputs_;
  std::size_t counted_at_ = 0;  // work items; 0 if nothing was counted
  bool device_is_lost_ = false;
  LessonResult result_;
};

LessonResult run_lesson(const Lesson& lesson, const RunOptions& options, device::Device& device) {
  check_options(lesson, options);
  return run_lesson(lesson, options, lesson.problem(options.settings), device);
}

LessonResult run_lesson(const Lesson& lesson, const RunOptions& options, Problem problem,
                        device::Device& device) {
  return LessonRun(lesson, options, device).run(std::move(problem));
}

RepeatedRun::RepeatedRun(const Lesson& lesson, const RunOptions& options, device::Device& device)
    : run_(std::make_unique<LessonRun>(lesson, options, device)) {
  check_options(lesson, options);
}
RepeatedRun::~RepeatedRun() = default;

LessonResult RepeatedRun::run(bool runs_all) {
  return run_->run_again(runs_all);
}

namespace {

// Returns the result of that variant; null if it was not run.
const VariantResult* result_of(const LessonResult& result, const std::string& name) {
  return find_or_null(result.variants, name, &VariantResult::name);
}

const Timing* timing_of(const VariantResult& variant) {
  return variant.observed == Outcome::right && variant.kernel_cold ? &*variant.kernel_cold : nullptr;
}

ClaimResult predict_times(const Claim& claim, const LessonResult& result) {
  const Estimate* better = estimate_of(result, *result_of(result, claim.better));
  const Estimate* worse = estimate_of(result, *result_of(result, claim.worse));
  if (result.size < claim.from || !better || !worse) return {claim, ClaimVerdict::needs_gpu, std::nullopt};
  const bool is_reversed = claim.kind == Claim::Kind::not_faster;
  if (is_reversed) std::swap(better, worse);
  ClaimResult judged{claim, ClaimVerdict::needs_gpu, worse->seconds / better->seconds};
  if (*judged.ratio >= claim.ratio * (is_reversed ? 1 : Estimate::ratio_width))
    judged.verdict = ClaimVerdict::predicted;
  if (*judged.ratio < claim.ratio / Estimate::ratio_width) judged.verdict = ClaimVerdict::predicted_not;
  return judged;
}

ClaimResult judge_times(const Claim& claim, const LessonResult& result) {
  if (result.simulated()) return predict_times(claim, result);
  if (result.size < claim.from) return {claim, ClaimVerdict::not_measured, std::nullopt};
  const Timing* better = timing_of(*result_of(result, claim.better));
  const Timing* worse = timing_of(*result_of(result, claim.worse));
  if (!better || !worse) return {claim, ClaimVerdict::not_measured, std::nullopt};
  // not_faster compares the other way round.
  if (claim.kind == Claim::Kind::not_faster) std::swap(better, worse);

  ClaimResult judged{claim, ClaimVerdict::inconclusive, worse->median_s / better->median_s};
  if (!better->confidence_s || !worse->confidence_s) return judged;
  if (worse->confidence_s->low / better->confidence_s->high >= claim.ratio)
    judged.verdict = ClaimVerdict::holds;
  if (worse->confidence_s->high / better->confidence_s->low < claim.ratio)
    judged.verdict = ClaimVerdict::does_not_hold;
  return judged;
}

// At sizes that are no multiple of a warp the last warp differs; with few warps it dominates.
constexpr double part_of_ratio_needed = 0.97;
constexpr std::size_t min_size_for_counts = 4096;

std::optional<double> figure_of(const VariantResult& variant, const std::string& name) {
  for (const Figure& figure : variant.findings.figures)
    if (figure.name == name) return figure.value;
  return std::nullopt;
}

ClaimResult judge_counts(const Claim& claim, const LessonResult& result) {
  if (!result.simulated()) return {claim, ClaimVerdict::needs_simulator, std::nullopt};
  const auto fewer = figure_of(*result_of(result, claim.better), claim.figure);
  const auto more = figure_of(*result_of(result, claim.worse), claim.figure);
  if (!fewer || !more || *fewer <= 0) return {claim, ClaimVerdict::not_measured, std::nullopt};
  if (result.size < min_size_for_counts) return {claim, ClaimVerdict::not_measured, std::nullopt};
  const double ratio = *more / *fewer;
  return {claim,
          ratio >= part_of_ratio_needed * claim.ratio ? ClaimVerdict::holds : ClaimVerdict::does_not_hold,
          ratio};
}

// Returns whether a variant has a wrong result, so that its figures say nothing.
bool has_wrong_result(const VariantResult& variant) {
  return exit_code_of(variant) == ExitCode::wrong_result;
}

ClaimResult judge(const Claim& claim, const LessonResult& result) {
  return claim.kind == Claim::Kind::fewer_counted ? judge_counts(claim, result) : judge_times(claim, result);
}

}  // namespace

std::vector<ClaimResult> judge_claims(const std::vector<Claim>& claims, const LessonResult& result,
                                      const std::function<LaunchContext(const Claim&)>& context_of) {
  std::vector<ClaimResult> judged;
  for (const Claim& claim : claims) {
    const VariantResult* const better = result_of(result, claim.better);
    const VariantResult* const worse = result_of(result, claim.worse);
    if (!better || !worse) continue;
    const bool is_one_wrong = has_wrong_result(*better) || has_wrong_result(*worse);
    const bool applies = !is_one_wrong && (!claim.where || claim.where(context_of(claim)));
    judged.push_back(applies ? judge(claim, result) : ClaimResult{claim});
  }
  return judged;
}

}  // namespace gpulab::run
